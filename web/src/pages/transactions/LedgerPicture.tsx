import { Box } from '@mantine/core'
import { formatMoney } from '../../parts/format.ts'
import { Empty } from '../../parts/states.tsx'
import { transactionStrings as strings } from '../../strings/transactions.ts'
import classes from './transaction.module.css'
import type { Transfer } from './transactions.ts'

const columnPx = 122
const headPx = 44
const rowPx = 50
const arrowPx = 7
/** How small it may become on a phone before it is scrolled. */
const smallest = 0.8

const order = ['funding', 'wallet', 'held', 'fx', 'fees', 'suspense']

export function accountName(account: string): string {
  if (account.startsWith('rail:')) return strings.railAccount(account.slice('rail:'.length))
  return strings.accounts[account] ?? account
}

/** Rails stand at the right: that is where money leaves and comes from. */
function placeOf(account: string): number {
  const place = order.indexOf(account)
  return place === -1 ? order.length : place
}

function accountsOf(transfers: Transfer[]): string[] {
  const all = new Set(transfers.flatMap(({ debit, credit }) => [debit, credit]))
  return [...all].sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
}

/** A line for each account and an arrow for each transfer, from where to where, in order. */
export function LedgerPicture({ transfers }: { transfers: Transfer[] }) {
  if (transfers.length === 0) {
    return <Empty title={strings.ledgerEmpty} hint={strings.ledgerEmptyHint} />
  }
  const accounts = accountsOf(transfers)
  const width = accounts.length * columnPx
  const height = headPx + transfers.length * rowPx + 12
  const xOf = (account: string) => accounts.indexOf(account) * columnPx + columnPx / 2
  return (
    <Box className={classes.picture} tabIndex={0} role="group" aria-label={strings.ledgerPicture}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        style={{ width: '100%', maxWidth: width, minWidth: width * smallest }}
        role="img"
        aria-label={`${strings.ledgerPicture}: ${transfers.map(sentence).join('; ')}`}
      >
        {accounts.map((account) => (
          <g key={account}>
            <rect
              x={xOf(account) - columnPx / 2 + 8}
              y="1"
              width={columnPx - 16}
              height="28"
              rx="8"
              className={classes.node}
            />
            <text x={xOf(account)} y="20" className={classes.nodeName}>
              {accountName(account)}
            </text>
            <line
              x1={xOf(account)}
              x2={xOf(account)}
              y1="30"
              y2={height}
              className={classes.life}
            />
          </g>
        ))}
        {transfers.map((transfer, index) => (
          <Arrow
            key={transfer.step}
            transfer={transfer}
            from={xOf(transfer.debit)}
            to={xOf(transfer.credit)}
            y={headPx + index * rowPx + 28}
          />
        ))}
      </svg>
    </Box>
  )
}

const sentence = ({ debit, credit, amount, currency }: Transfer): string =>
  `${formatMoney(amount, currency)}, ${accountName(debit)} → ${accountName(credit)}`

type ArrowProps = { transfer: Transfer; from: number; to: number; y: number }

function Arrow({ transfer, from, to, y }: ArrowProps) {
  const direction = to > from ? 1 : -1
  const tip = to - 2 * direction
  const back = tip - arrowPx * direction
  return (
    <g className={classes.arrow}>
      <line x1={from} x2={back} y1={y} y2={y} />
      <circle cx={from} cy={y} r="3.5" />
      <path d={`M${tip} ${y}L${back} ${y - 5}V${y + 5}z`} />
      <text x={(from + to) / 2} y={y - 9} className={classes.arrowAmount}>
        {formatMoney(transfer.amount, transfer.currency)}
      </text>
      <text x={(from + to) / 2} y={y + 15} className={classes.arrowStep}>
        {transfer.step}
      </text>
    </g>
  )
}
