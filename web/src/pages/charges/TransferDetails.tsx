import { Button, Group, Stack, Text } from '@mantine/core'
import { useEnvironment, usePaths, useSend } from '../../api/queries.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { stepStrings as strings } from '../../strings/charges.ts'
import type { Followed, VirtualAccount } from '../payouts/transaction.ts'

type Props = { charge: Followed; account: VirtualAccount }

/** The account a customer pays into, to be copied into a message. */
export function TransferDetails({ charge, account }: Props) {
  const environment = useEnvironment()
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const { accountNumber, bankName, note, expiresAt } = account
  const { amount, currency } = charge
  const pay = () =>
    send.mutate(
      {
        method: 'POST',
        path: paths.public('/utilities/simulate-bank-transfer'),
        body: { accountNumber, amount: Number(amount) },
      },
      { onSuccess: () => tell(strings.paid) },
    )
  return (
    <Section title={strings.transferTitle}>
      <Stack gap="md">
        <FormError error={send.error} />
        <CopyField label={strings.accountNumber} value={accountNumber} />
        <CopyField label={strings.exactAmount} value={`${amount} ${currency}`} />
        <Facts
          facts={[
            { label: strings.bankName, value: bankName },
            { label: strings.until, value: <Moment at={expiresAt} exact /> },
          ]}
        />
        <Text size="sm" c="dimmed">
          {note}
        </Text>
        {environment === 'sandbox' && (
          <Group>
            <Button variant="default" loading={send.isPending} onClick={pay}>
              {strings.pay}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}
