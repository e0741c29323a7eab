import { Table } from '@mantine/core'
import { useEnvironment } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { LinkButton } from '../../parts/LinkButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { panelStrings as strings } from '../../strings/developers.ts'
import { useMayTrade } from '../rights.ts'
import classes from './developers.module.css'
import { PayAccountForm, SimulateForm } from './SandboxForms.tsx'
import { testCards, testEndings } from './test-numbers.ts'

/** Everything the sandbox can be told to do. */
export function SandboxTab() {
  const environment = useEnvironment()
  const maySimulate = useMay('develop')
  const mayPay = useMayTrade()
  if (environment === 'live') {
    const action = (
      <LinkButton
        to="/$environment/developers/$tab"
        params={{ environment: 'sandbox', tab: 'sandbox' }}
        variant="default"
      >
        {strings.toSandbox}
      </LinkButton>
    )
    return (
      <Section>
        <Empty title={strings.liveTitle} hint={strings.liveText} action={action} />
      </Section>
    )
  }
  return (
    <div className={classes.stack}>
      {(maySimulate || mayPay) && (
        <div className={classes.pair}>
          {maySimulate && <SimulateForm />}
          {mayPay && <PayAccountForm />}
        </div>
      )}
      <Numbers />
      <Cards />
    </div>
  )
}

function Numbers() {
  return (
    <Section title={strings.numbersTitle} hint={strings.numbersHint}>
      <Table aria-label={strings.numbersTitle} horizontalSpacing="xs" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{strings.endsWith}</Table.Th>
            <Table.Th scope="col">{strings.charge}</Table.Th>
            <Table.Th scope="col">{strings.payout}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {testEndings.map(({ ending, charge, payout }) => (
            <Table.Tr key={ending}>
              <Table.Th scope="row" ff="monospace">
                {ending}
              </Table.Th>
              <Table.Td>{charge}</Table.Td>
              <Table.Td>{payout}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

function Cards() {
  return (
    <Section title={strings.cardsTitle} hint={strings.cardsHint}>
      <Table aria-label={strings.cardsTitle} horizontalSpacing="xs" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{strings.card}</Table.Th>
            <Table.Th scope="col">{strings.outcome}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {testCards.map(({ number, outcome }) => (
            <Table.Tr key={number}>
              <Table.Th scope="row" ff="monospace" fw={500}>
                {number}
              </Table.Th>
              <Table.Td>{outcome}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}
