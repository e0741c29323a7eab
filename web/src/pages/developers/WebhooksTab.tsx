import { useView } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Ready } from '../../parts/states.tsx'
import classes from './developers.module.css'
import { WebhookRecords } from './WebhookRecords.tsx'
import { WebhookSecret } from './WebhookSecret.tsx'
import { WebhookUrl } from './WebhookUrl.tsx'
import type { WebhookSettings } from './webhooks.ts'

export function WebhooksTab() {
  const mayChange = useMay('develop')
  const query = useView<WebhookSettings>('/webhook-settings')
  return (
    <div className={classes.stack}>
      <Ready query={query}>
        {(settings) => (
          <div className={classes.pair}>
            <WebhookUrl key={settings.url} settings={settings} mayChange={mayChange} />
            <WebhookSecret settings={settings} mayChange={mayChange} />
          </div>
        )}
      </Ready>
      <WebhookRecords mayResend={mayChange} />
    </div>
  )
}
