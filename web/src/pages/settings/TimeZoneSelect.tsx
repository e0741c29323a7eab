import { Select } from '@mantine/core'

const zones: string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

type Props = {
  label: string
  hint: string
  value: string
  disabled?: boolean
  onChange: (value: string) => void
}

export function TimeZoneSelect({ label, hint, value, disabled, onChange }: Props) {
  return (
    <Select
      label={label}
      description={hint}
      searchable
      allowDeselect={false}
      disabled={disabled ?? false}
      // The zone that is set is offered even where this browser does not know it.
      data={zones.includes(value) ? zones : [value, ...zones]}
      limit={100}
      value={value}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  )
}
