import { Link } from '@tanstack/react-router'
import { useEnvironment } from '../../api/queries.ts'
import { countryName, formatAmount } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { overviewStrings as strings } from '../../strings/overview.ts'
import classes from './overview.module.css'
import type { Wallet } from './overview.ts'

const maxShown = 8
const isMore = (amount: string): boolean => /[1-9]/.test(amount)

/** Those that hold money first; the rest are one click away. */
export function Balances({ wallets }: { wallets: Wallet[] }) {
  const environment = useEnvironment()
  const byUse = [...wallets].sort((a, b) => rank(a) - rank(b))
  return (
    <Section
      title={strings.balances}
      actions={
        wallets.length > maxShown && (
          <PageLink to="/$environment/money" params={{ environment }}>
            {strings.allWallets(wallets.length)}
          </PageLink>
        )
      }
    >
      {wallets.length === 0 && <Empty title={strings.noWallets} hint={strings.noWalletsHint} />}
      <ul className={classes.wallets}>
        {byUse.slice(0, maxShown).map((wallet) => (
          <li key={wallet.id}>
            <Link
              to={'/$environment/wallets/$walletId' as '.'}
              params={{ environment, walletId: wallet.id } as never}
              className={classes.wallet}
            >
              <span className={classes.walletName}>
                {wallet.currency} · {countryName(wallet.country)}
              </span>
              <span className={classes.walletBalance}>{formatAmount(wallet.balance)}</span>
              {isMore(wallet.reserved) && (
                <span className={classes.walletReserved}>
                  {formatAmount(wallet.reserved)} {strings.reserved}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const rank = ({ balance, reserved }: Wallet): number =>
  isMore(reserved) ? 0 : isMore(balance) ? 1 : 2
