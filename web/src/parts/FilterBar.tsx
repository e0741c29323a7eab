import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'
import { Icon } from './Icon.tsx'
import classes from './parts.module.css'
import { useIsPhone } from './phone.ts'
import { useUrlParams } from './url.ts'

export type Filter =
  | { kind: 'search'; name: string; label: string; placeholder?: string }
  | { kind: 'choice'; name: string; label: string; options: { value: string; label: string }[] }
  | { kind: 'day'; name: string; label: string }

const maxOnPhone = 3

/** Filters that live in the address: they survive a reload and can be sent to somebody. */
export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const { params, set } = useUrlParams()
  const isPhone = useIsPhone()
  const isFiltered = filters.some(({ name }) => params[name] !== undefined)
  const clear = () => void set(Object.fromEntries(filters.map(({ name }) => [name, undefined])))
  return (
    <search
      className={classes.filters}
      aria-label={strings.filters}
      data-few={filters.length <= maxOnPhone || undefined}
    >
      {isPhone && filters.length > maxOnPhone ? <Folded filters={filters} /> : filters.map(show)}
      {isFiltered && (
        <Button variant="subtle" size="sm" onClick={clear}>
          {strings.clearFilters}
        </Button>
      )}
    </search>
  )
}

function show(filter: Filter) {
  if (filter.kind === 'search') return <SearchFilter key={filter.name} {...filter} />
  if (filter.kind === 'choice') return <ChoiceFilter key={filter.name} {...filter} />
  return <DayFilter key={filter.name} {...filter} />
}

/** On a phone only the search is in sight, unless something else is set. */
function Folded({ filters }: { filters: readonly Filter[] }) {
  const { params } = useUrlParams()
  const others = filters.filter(({ kind }) => kind !== 'search')
  const [isOpen, setOpen] = useState(others.some(({ name }) => params[name] !== undefined))
  return (
    <>
      {filters.filter(({ kind }) => kind === 'search').map(show)}
      <details
        className={classes.filterMore}
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>{strings.filters}</summary>
        <div>{others.map(show)}</div>
      </details>
    </>
  )
}

function SearchFilter({
  name,
  label,
  placeholder,
}: {
  name: string
  label: string
  placeholder?: string
}) {
  const { params, set } = useUrlParams()
  const current = params[name] ?? ''
  const [text, setText] = useState(current)
  useEffect(() => setText(current), [current])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set({ [name]: text.trim() || undefined })
  }
  return (
    <form onSubmit={submit} className={classes.filterSearch}>
      <TextInput
        size="sm"
        type="search"
        label={label}
        placeholder={placeholder ?? ''}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={submit}
      />
    </form>
  )
}

type ChoiceProps = { name: string; label: string; options: { value: string; label: string }[] }

function ChoiceFilter({ name, label, options }: ChoiceProps) {
  const { params, set } = useUrlParams()
  return (
    <NativeSelect
      size="sm"
      label={label}
      data={[{ value: '', label: strings.any }, ...options]}
      value={params[name] ?? ''}
      onChange={(event) => void set({ [name]: event.currentTarget.value || undefined })}
    />
  )
}

function DayFilter({ name, label }: { name: string; label: string }) {
  const { params, set } = useUrlParams()
  return (
    <TextInput
      size="sm"
      type="date"
      label={label}
      value={params[name] ?? ''}
      onChange={(event) => void set({ [name]: event.currentTarget.value || undefined })}
    />
  )
}
