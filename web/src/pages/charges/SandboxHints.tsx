import { Anchor, Table, Text } from '@mantine/core'
import { Section } from '../../parts/Section.tsx'
import { chargesStrings as strings } from '../../strings/charges.ts'
import { testCards, testEndings } from '../developers/test-numbers.ts'
import type { ChargeFormProps } from './ChargeForm.tsx'
import type { ChargeValues } from './charge.ts'

/** What to type in the sandbox to see each outcome. */
export function SandboxHints({ form }: ChargeFormProps) {
  const { method } = form.values
  if (method === 'card') return <Cards form={form} />
  return (
    <Section title={method === 'bank' ? strings.methods.bank : strings.methods.momo}>
      {method === 'bank' ? (
        <Text size="sm" c="dimmed">
          {strings.bankNote}
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            {strings.testNumbers}
          </Text>
          <Table aria-label={strings.testNumbers} horizontalSpacing={0} verticalSpacing={6}>
            <Table.Tbody>
              {testEndings.map(({ ending, charge }) => (
                <Table.Tr key={ending}>
                  <Table.Th scope="row" w="4.5rem" ff="monospace">
                    …{ending}
                  </Table.Th>
                  <Table.Td>{charge}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </Section>
  )
}

function Cards({ form }: ChargeFormProps) {
  const use = (number: string) => form.setValues((values) => filled(values as ChargeValues, number))
  return (
    <Section title={strings.testCards}>
      <Table aria-label={strings.testCards} horizontalSpacing={0} verticalSpacing={6}>
        <Table.Tbody>
          {testCards.map(({ number, outcome }) => (
            <Table.Tr key={number}>
              <Table.Th scope="row" pr="md">
                <Anchor
                  component="button"
                  type="button"
                  ff="monospace"
                  size="sm"
                  style={{ whiteSpace: 'nowrap' }}
                  aria-label={strings.takeCard(number)}
                  onClick={() => use(number)}
                >
                  {number}
                </Anchor>
              </Table.Th>
              <Table.Td>{outcome}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

/** A test card, and what else the form still needs. */
function filled(values: ChargeValues, number: string): Partial<ChargeValues> {
  return {
    number,
    expiry: values.expiry || '12/30',
    cvv: values.cvv || '123',
    firstName: values.firstName || 'Wanjiru',
    lastName: values.lastName || 'Mwangi',
    email: values.email || 'wanjiru@shop.example',
  }
}
