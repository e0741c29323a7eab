import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { destinationStrings, beneficiariesStrings as strings } from '../../strings/beneficiaries.ts'
import { useMayTrade } from '../rights.ts'
import { useLast } from '../use-last.ts'
import { BeneficiaryDialog } from './BeneficiaryDialog.tsx'
import { matches, useBeneficiaries } from './beneficiaries.ts'
import type { ExternalAccount } from './destination.ts'
import { PayButton } from './PayButton.tsx'
import { useCountryName } from './reference.ts'

type Opened = { kind: 'add' } | { kind: 'edit' | 'delete'; account: ExternalAccount }

const msPerSecond = 1000

export function BeneficiariesPage() {
  const mayChange = useMayTrade()
  const query = useBeneficiaries()
  const [text, setText] = useState('')
  const [opened, setOpened] = useState<Opened>()
  const columns = useColumns(mayChange, setOpened)
  const last = useLast(opened)
  const close = () => setOpened(undefined)
  const shown = query.accounts?.filter((account) => matches(account, text))
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpened({ kind: 'add' })}>
      {strings.add}
    </Button>
  )
  const isEmpty = query.accounts?.length === 0
  return (
    <>
      <PageHeader title={strings.title} hint={strings.about} actions={mayChange && add} />
      {!isEmpty && (
        <TextInput
          type="search"
          label={strings.search}
          placeholder={strings.searchHint}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maw="26rem"
          mb="lg"
        />
      )}
      <Section flush>
        <DataTable
          label={strings.title}
          columns={columns}
          query={{ data: shown, error: query.error, refetch: query.refetch }}
          rowKey={(account) => account.externalAccountId}
          empty={
            isEmpty ? (
              <Empty title={strings.noneTitle} hint={strings.noneText} action={mayChange && add} />
            ) : (
              <Empty title={strings.noneFoundTitle} hint={strings.noneFoundText} />
            )
          }
        />
        {query.hasNextPage && (
          <Group justify="end" p="md">
            <Button
              variant="default"
              size="sm"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {strings.more}
            </Button>
          </Group>
        )}
      </Section>
      <BeneficiaryDialog
        opened={opened?.kind === 'add' || opened?.kind === 'edit'}
        account={last?.kind === 'edit' ? last.account : undefined}
        onClose={close}
      />
      <DeleteDialog
        opened={opened?.kind === 'delete'}
        account={last?.kind === 'delete' ? last.account : undefined}
        onClose={close}
      />
    </>
  )
}

function useColumns(
  mayChange: boolean,
  open: (opened: Opened) => void,
): readonly Column<ExternalAccount>[] {
  const countryName = useCountryName()
  const { columns } = strings
  const read: Column<ExternalAccount>[] = [
    { header: columns.name, cell: ({ payoutMethod }) => payoutMethod.accountName },
    { header: columns.account, cell: (account) => <AccountCell {...account} /> },
    {
      header: columns.destination,
      cell: ({ destination }) => destinationStrings.destinations[destination],
      nowrap: true,
    },
    {
      header: columns.country,
      cell: ({ country, currency }) => `${countryName(country)} · ${currency}`,
    },
    {
      header: columns.added,
      cell: ({ createdAt }) => <Moment at={new Date(createdAt * msPerSecond).toISOString()} />,
      wide: true,
      phone: 'none',
    },
  ]
  if (!mayChange) return read
  const cell = (account: ExternalAccount) => (
    <Group gap={4} wrap="nowrap" justify="end">
      <PayButton account={account} />
      <RowButton
        text={strings.edit}
        account={account}
        onClick={() => open({ kind: 'edit', account })}
      />
      <RowButton
        text={strings.delete}
        account={account}
        onClick={() => open({ kind: 'delete', account })}
      />
    </Group>
  )
  return [
    ...read,
    { header: columns.actions, cell, align: 'right', quietHeader: true, phone: 'line' },
  ]
}

function AccountCell({ payoutMethod }: ExternalAccount) {
  const { accountNumber, code, branchCode, businessNumber } = payoutMethod
  const rest = [code, branchCode, businessNumber].filter(Boolean).join(' · ')
  return (
    <>
      {accountNumber}{' '}
      {rest && (
        <Text span size="sm" c="dimmed">
          {rest}
        </Text>
      )}
    </>
  )
}

type RowButtonProps = { text: string; account: ExternalAccount; onClick: () => void }

function RowButton({ text, account, onClick }: RowButtonProps) {
  const { accountName } = account.payoutMethod
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`${text} ${accountName}`}
      onClick={onClick}
    >
      {text}
    </Button>
  )
}

type DeleteProps = { opened: boolean; account: ExternalAccount | undefined; onClose: () => void }

function DeleteDialog({ opened, account, onClose }: DeleteProps) {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const confirm = () =>
    send.mutate(
      { method: 'DELETE', path: paths.public(`/external-accounts/${account?.externalAccountId}`) },
      {
        onSuccess: () => {
          tell(strings.deleted)
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      opened={opened}
      danger
      title={strings.deleteTitle}
      confirm={strings.delete}
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {account && strings.deleteText(account.payoutMethod.accountName)}
    </ConfirmDialog>
  )
}
