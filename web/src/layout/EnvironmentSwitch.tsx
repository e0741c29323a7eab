import { Link, useLocation } from '@tanstack/react-router'
import { useEnvironment } from '../api/queries.ts'
import { partsStrings as strings } from '../strings/parts.ts'
import classes from './layout.module.css'

const environments = ['sandbox', 'live'] as const

/** Where the same page is in the other environment; a single record exists in one of them only. */
function placeIn(pathname: string): string {
  const [, , page = 'overview'] = pathname.split('/')
  return page === 'wallets' ? 'money' : page
}

/** Always in sight, by colour and by word. */
export function EnvironmentSwitch() {
  const current = useEnvironment()
  const { pathname } = useLocation()
  return (
    <nav aria-label={strings.environment.label} className={classes.switch}>
      {environments.map((environment) => (
        <Link
          key={environment}
          to={`/$environment/${placeIn(pathname)}` as '/$environment/overview'}
          params={{ environment }}
          className={classes.switchLink}
          data-environment={environment}
          data-current={environment === current || undefined}
          aria-current={environment === current ? 'true' : undefined}
          title={strings.environment[`${environment}Hint`]}
        >
          {strings.environment[environment]}
        </Link>
      ))}
    </nav>
  )
}
