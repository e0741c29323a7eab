import { useSharedPage } from '../../api/queries.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { auditStrings as strings } from '../../strings/settings.ts'
import classes from './settings.module.css'

type AuditEntry = {
  id: string
  at: string
  actor: string
  actorName: string
  action: string
  subject: string
  detail: Record<string, unknown>
}

export function AuditTab() {
  const { params } = useUrlParams()
  const page = useSharedPage<AuditEntry>('/audit', { params: { after: params.after } })
  return (
    <Section title={strings.title} hint={strings.hint} flush>
      <DataTable
        label={strings.label}
        query={page}
        rowKey={({ id }) => id}
        empty={<Empty title={strings.none} />}
        columns={[
          { header: strings.action, cell: ({ action }) => action },
          { header: strings.actor, cell: ({ actorName }) => actorName },
          { header: strings.subject, cell: ({ subject }) => <Plain text={subject} /> },
          {
            header: strings.detail,
            wide: true,
            phone: 'none',
            cell: ({ detail }) => <Plain text={show(detail)} />,
          },
          {
            header: strings.at,
            align: 'right',
            phone: 'line',
            cell: ({ at }) => <Moment at={at} />,
          },
        ]}
      />
    </Section>
  )
}

const Plain = ({ text }: { text: string }) => <span className={classes.detail}>{text}</span>

const show = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
