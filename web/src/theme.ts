import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Modal,
  Table,
  Tooltip,
} from '@mantine/core'

/** The one accent: the green of the mark. */
const leaf: MantineColorsTuple = [
  '#e9f7f1',
  '#d2ecdf',
  '#a5dac3',
  '#7fd3b0',
  '#5fd0a5',
  '#35a87d',
  '#1c8a63',
  '#0f7a57',
  '#0b6e4f',
  '#075a40',
]

/** Says sandbox, and that something waits. */
const amber: MantineColorsTuple = [
  '#fdf5e3',
  '#faeac6',
  '#f4d48c',
  '#efc25c',
  '#e9b23c',
  '#cf9420',
  '#a87412',
  '#8a5d0b',
  '#6f4a07',
  '#543704',
]

/** White words on the dark ones, and dark words on the light ones, are readable. */
const red: MantineColorsTuple = [
  '#fdf0ee',
  '#fbdad6',
  '#f6b3ac',
  '#ff9b90',
  '#f0776b',
  '#d9483b',
  '#c6352a',
  '#b42318',
  '#a51e14',
  '#8c150c',
]

/** Dark surfaces with a little of the green in them. */
const dark: MantineColorsTuple = [
  '#e9efec',
  '#c9d3cf',
  '#9bada7',
  '#6f827b',
  '#3a4843',
  '#2a3632',
  '#1f2926',
  '#18211e',
  '#101715',
  '#0b100f',
]

/** Warmer than the greys of the library, to go with the paper. */
const gray: MantineColorsTuple = [
  '#faf9f5',
  '#f3f1ea',
  '#eae8df',
  '#e3e1d8',
  '#d9d7cd',
  '#b9bcb2',
  '#87918b',
  '#5a6b66',
  '#3c4a46',
  '#22302c',
]

export const theme = createTheme({
  colors: { leaf, amber, red, dark, gray },
  primaryColor: 'leaf',
  primaryShade: { light: 8, dark: 7 },
  black: '#14231f',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.1rem' }, h3: { fontSize: '1rem' } },
  },
  components: {
    Modal: Modal.extend({
      styles: { title: { fontSize: '1.15rem', fontWeight: 650 } },
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
    }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } }),
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } },
    }),
  },
})

/** Paper, lines and quiet text, warmer than the greys of the library and readable on both. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--malipo-card-radius': '0.75rem' },
  light: {
    '--mantine-color-body': '#fbfaf6',
    '--mantine-color-dimmed': '#5a6b66',
    '--mantine-color-default-border': '#d9d7cd',
    '--mantine-color-placeholder': '#6c7b76',
    '--mantine-color-error': '#b42318',
    '--malipo-card': '#ffffff',
    '--malipo-line': '#e3e1d8',
    '--malipo-control': '#87918b',
    '--malipo-hover': '#f3f1ea',
    '--malipo-accent': '#0b6e4f',
    '--malipo-in': '#0b6e4f',
    '--malipo-out': '#b0602b',
    '--malipo-good': '#0b6e4f',
    '--malipo-bad': '#b42318',
    '--malipo-waiting': '#8a5d0b',
    '--malipo-sandbox': '#e9b23c',
    '--malipo-live': '#0b6e4f',
  },
  dark: {
    '--mantine-color-body': '#101715',
    '--mantine-color-dimmed': '#9bada7',
    '--mantine-color-default-border': '#3a4843',
    '--mantine-color-placeholder': '#8b9d97',
    '--mantine-color-error': '#ff9b90',
    '--mantine-color-anchor': '#5fd0a5',
    '--malipo-card': '#18211e',
    '--malipo-line': '#2a3632',
    '--malipo-control': '#6f827b',
    '--malipo-hover': '#1f2926',
    '--malipo-accent': '#5fd0a5',
    '--malipo-in': '#5fd0a5',
    '--malipo-out': '#e39a63',
    '--malipo-good': '#5fd0a5',
    '--malipo-bad': '#ff9b90',
    '--malipo-waiting': '#efc25c',
    '--malipo-sandbox': '#cf9420',
    '--malipo-live': '#35a87d',
  },
})
