import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useView } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { CopyField, CopyId } from '../../parts/CopyField.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { keysStrings as strings } from '../../strings/developers.ts'
import { useLast } from '../use-last.ts'
import { CreateKeyDialog } from './CreateKeyDialog.tsx'
import { RevokeKeyDialog, RotateKeyDialog } from './KeyDialogs.tsx'
import { type CreatedKey, type Key, scopes, stateOf } from './keys.ts'
import { SecretDialog } from './SecretDialog.tsx'

export type Asked = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: Key }

export function KeysTab() {
  const mayChange = useMay('develop')
  const query = useView<Key[]>('/keys')
  const [asked, setAsked] = useState<Asked>()
  const [created, setCreated] = useState<CreatedKey>()
  const last = useLast(asked)
  const key = last && 'key' in last ? last.key : undefined
  const shown = useLast(created)
  const close = () => setAsked(undefined)
  const show = (key: CreatedKey) => {
    close()
    setCreated(key)
  }
  const create = mayChange && (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => setAsked({ kind: 'create' })}
    >
      {strings.create}
    </Button>
  )
  return (
    <>
      <Section title={strings.title} hint={strings.hint} actions={create} flush>
        <DataTable
          label={strings.title}
          columns={columnsOf(mayChange, setAsked)}
          query={query}
          rowKey={({ id }) => id}
          empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
        />
      </Section>
      <CreateKeyDialog opened={asked?.kind === 'create'} onCreated={show} onClose={close} />
      <RotateKeyDialog
        opened={asked?.kind === 'rotate'}
        of={key}
        onCreated={show}
        onClose={close}
      />
      <RevokeKeyDialog opened={asked?.kind === 'revoke'} of={key} onClose={close} />
      <SecretDialog
        opened={created !== undefined}
        title={strings.shownTitle}
        text={strings.shownText}
        onClose={() => setCreated(undefined)}
      >
        {shown && (
          <>
            <CopyField label={strings.publicKey} value={shown.publicKey} />
            <CopyField label={strings.apiKey} value={shown.apiKey} />
          </>
        )}
      </SecretDialog>
    </>
  )
}

function columnsOf(mayChange: boolean, ask: (asked: Asked) => void): readonly Column<Key>[] {
  const { columns: names } = strings
  const button = (kind: 'rotate' | 'revoke', key: Key) => (
    <Button
      variant="subtle"
      size="compact-sm"
      onClick={() => ask({ kind, key })}
      aria-label={`${strings[kind]} ${key.name}`}
    >
      {strings[kind]}
    </Button>
  )
  const actions: Column<Key> = {
    header: names.actions,
    quietHeader: true,
    phone: 'line',
    align: 'right',
    cell: (key) =>
      stateOf(key) !== 'ended' && (
        <Group gap={4} wrap="nowrap" justify="end">
          {button('rotate', key)}
          {button('revoke', key)}
        </Group>
      ),
  }
  return [
    {
      header: names.key,
      cell: ({ name, publicKey }) => (
        <div style={{ whiteSpace: 'nowrap' }}>
          <Text fw={550} size="sm">
            {name}
          </Text>
          <CopyId id={publicKey} />
        </div>
      ),
    },
    { header: names.scopes, cell: (key) => <KeyRights of={key} />, wide: true },
    { header: names.created, cell: ({ createdAt }) => <Moment at={createdAt} />, phone: 'none' },
    { header: names.state, cell: (key) => <KeyState of={key} />, phone: 'corner' },
    ...(mayChange ? [actions] : []),
  ]
}

function KeyRights({ of: key }: { of: Key }) {
  const isAll = key.scopes.length === scopes.length
  return (
    <>
      {isAll ? strings.everything : key.scopes.join(', ')}
      <Text size="xs" c="dimmed">
        {strings.from(key.ipAllowList.join(', ') || strings.anywhere)}
      </Text>
    </>
  )
}

function KeyState({ of: key }: { of: Key }) {
  const state = stateOf(key)
  if (state === 'active') return <StatusBadge status="active" />
  if (state === 'ended') {
    const label = key.revokedAt ? strings.revoked : strings.ended
    return <StatusBadge status="ended" tone="neutral" label={label} />
  }
  return (
    <>
      <StatusBadge status="ending" tone="waiting" label={strings.endsAt} />{' '}
      <Text span size="sm">
        <Moment at={key.expiresAt} />
      </Text>
    </>
  )
}
