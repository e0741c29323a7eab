import { Link } from '@tanstack/react-router'
import { useEnvironment } from '../api/queries.ts'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { partsStrings as strings } from '../strings/parts.ts'
import classes from './layout.module.css'

const groups = [
  { name: 'see', pages: ['overview', 'transactions', 'money'] },
  { name: 'move', pages: ['payouts', 'batches', 'charges', 'beneficiaries'] },
  { name: 'manage', pages: ['developers', 'settings'] },
] as const

export function Navigation() {
  const environment = useEnvironment()
  return (
    <nav aria-label={strings.navigation} className={classes.nav}>
      {groups.map((group) => (
        <div key={group.name}>
          <p id={`nav-${group.name}`} className={classes.navGroup}>
            {strings.groups[group.name]}
          </p>
          <ul aria-labelledby={`nav-${group.name}`}>
            {group.pages.map((page) => (
              <li key={page}>
                <Link
                  to={`/$environment/${page}`}
                  params={{ environment }}
                  className={classes.navLink}
                >
                  <Icon name={page satisfies IconName} />
                  {strings.nav[page]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <a href="/docs" target="_blank" rel="noreferrer" className={classes.navLink}>
        <Icon name="book" />
        {strings.apiReference}
      </a>
    </nav>
  )
}
