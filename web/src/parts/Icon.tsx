/** Our few icons, drawn on a field of 24 with one line width. They never speak alone. */
const shapes = {
  overview: 'M4 13h6V4H4zM14 9h6V4h-6zM4 20h6v-3H4zM14 20h6v-7h-6z',
  transactions: 'M4 8h15l-4-4M20 16H5l4 4',
  payouts: 'M12 19V5M6 11l6-6 6 6',
  batches: 'M4 7l8-4 8 4-8 4zM4 12l8 4 8-4M4 17l8 4 8-4',
  charges: 'M12 5v14M6 13l6 6 6-6',
  beneficiaries:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.3 2.7-5 6-5s6 1.7 6 5M16 5a3 3 0 0 1 0 6M17.5 15.3c2.2.6 3.5 2.2 3.5 4.7',
  money: 'M4 7a2 2 0 0 1 2-2h11v3M4 7v10a2 2 0 0 0 2 2h14V8H6a2 2 0 0 1-2-1zM16 13.5h.5',
  developers: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  back: 'M19 12H5M11 6l-6 6 6 6',
  forward: 'M5 12h14M13 6l6 6-6 6',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c0-3.6 3.4-5.5 7.5-5.5s7.5 1.9 7.5 5.5',
  book: 'M5 4h10a4 4 0 0 1 4 4v12H9a4 4 0 0 1-4-4zM5 16a4 4 0 0 1 4-4h10',
  close: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  filter: 'M4 6h16M7 12h10M10 18h4',
} as const

export type IconName = keyof typeof shapes

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  )
}
