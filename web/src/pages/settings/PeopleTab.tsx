import { Button } from '@mantine/core'
import { useState } from 'react'
import { useShared } from '../../api/queries.ts'
import { useMay, useSession } from '../../api/session.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { roleStrings, settingsStrings, peopleStrings as strings } from '../../strings/settings.ts'
import { ChangePersonDialog } from './ChangePersonDialog.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import type { Colleague } from './people.ts'

const stateOf = ({ disabled, invited }: Colleague) =>
  disabled ? 'disabled' : invited ? 'invited' : 'active'

export function PeopleTab() {
  const people = useShared<Colleague[]>('/people')
  const mayManage = useMay('manage')
  const { person } = useSession()
  const [isInviting, setInviting] = useState(false)
  const [changing, setChanging] = useState<Colleague>()
  const columns: Column<Colleague>[] = [
    {
      header: settingsStrings.name,
      cell: ({ id, name }) => (id === person.id ? `${name} (${strings.you})` : name),
    },
    { header: settingsStrings.email, cell: ({ email }) => email },
    { header: settingsStrings.role, cell: ({ role }) => roleStrings.names[role] ?? role },
    {
      header: strings.state,
      cell: (row) => <StatusBadge status={stateOf(row)} label={strings.states[stateOf(row)]} />,
    },
    {
      header: strings.twoStep,
      wide: true,
      phone: 'none',
      cell: (row) => (row.totp ? strings.yes : strings.no),
    },
    {
      header: strings.lastSeen,
      wide: true,
      phone: 'none',
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Moment at={lastSeenAt} /> : strings.never),
    },
    ...(mayManage ? [actionColumn(setChanging)] : []),
  ]
  return (
    <Section
      title={strings.title}
      hint={strings.hint}
      flush
      actions={mayManage && <Button onClick={() => setInviting(true)}>{strings.invite}</Button>}
    >
      <DataTable
        label={strings.label}
        query={people}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty title={strings.none} />}
      />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {changing && <ChangePersonDialog person={changing} onClose={() => setChanging(undefined)} />}
    </Section>
  )
}

const actionColumn = (onChange: (person: Colleague) => void): Column<Colleague> => ({
  header: strings.actions,
  quietHeader: true,
  align: 'right',
  cell: (row) => (
    <Button
      variant="default"
      size="xs"
      onClick={() => onChange(row)}
      aria-label={strings.changeTitle(row.name)}
    >
      {strings.change}
    </Button>
  ),
})
