import { useEnvironment, usePaths, useViewPage } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { DownloadButton } from '../../parts/DownloadButton.tsx'
import { formatCount } from '../../parts/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { batchesStrings as strings } from '../../strings/batches.ts'
import { type Batch, totalsText } from './batch.ts'
import classes from './batches.module.css'
import { UploadBatch } from './UploadBatch.tsx'

const { columns: names } = strings
const columns: readonly Column<Batch>[] = [
  { header: names.name, cell: ({ name }) => name },
  { header: names.state, cell: ({ state }) => <StatusBadge status={state} />, phone: 'corner' },
  { header: names.lines, cell: ({ lines }) => formatCount(lines), align: 'right', phone: 'none' },
  { header: names.totals, cell: ({ totals }) => totalsText(totals) },
  { header: names.by, cell: ({ createdBy }) => createdBy.name, wide: true },
  { header: names.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
]

export function BatchesPage() {
  const environment = useEnvironment()
  const mayPay = useMay('moveMoney')
  const paths = usePaths()
  const { params } = useUrlParams()
  const query = useViewPage<Batch>('/batches', {
    params: { after: params.after },
    live: ['batch', 'transaction'],
  })
  return (
    <>
      <PageHeader
        title={strings.title}
        hint={strings.about}
        actions={
          <DownloadButton href={paths.view('/batches/template.csv')} label={strings.template} />
        }
      />
      <div className={classes.stack}>
        {mayPay && <UploadBatch />}
        <Section title={strings.listTitle} flush>
          <DataTable
            label={strings.listTitle}
            columns={columns}
            query={query}
            rowKey={({ id }) => id}
            rowLink={({ id }) => ({
              to: '/$environment/batches/$batchId',
              params: { environment, batchId: id },
            })}
            empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
          />
        </Section>
      </div>
    </>
  )
}
