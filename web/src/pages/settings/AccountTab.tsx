import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useEnvironment, usePaths, useSend, useView } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { Ready } from '../../parts/states.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { settingsStrings, accountStrings as strings } from '../../strings/settings.ts'
import { type FeeRule, FeeSection } from './FeeSection.tsx'
import classes from './settings.module.css'
import { TimeZoneSelect } from './TimeZoneSelect.tsx'

type Limits = Record<string, string>
type Settings = { timeZone: string; approvalLimits: Limits; feePlan: FeeRule[] }

export function AccountTab() {
  const environment = useEnvironment()
  const settings = useView<Settings>('/settings')
  return (
    <Ready query={settings}>
      {(data) => (
        // Another environment has other settings, so its form begins anew.
        <Stack gap="xl" maw="44rem" key={environment}>
          <Text c="dimmed">{strings[environment]}</Text>
          <GeneralSection settings={data} />
          <LimitsSection settings={data} />
          <FeeSection rules={data.feePlan} />
        </Stack>
      )}
    </Ready>
  )
}

function useSave() {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const save = (body: Partial<Settings>) =>
    send.mutate(
      { method: 'PUT', path: paths.view('/settings'), body },
      { onSuccess: () => tell(settingsStrings.saved) },
    )
  return { save, isPending: send.isPending, error: send.error }
}

function GeneralSection({ settings }: { settings: Settings }) {
  const [timeZone, setTimeZone] = useState(settings.timeZone)
  const mayManage = useMay('manage')
  const { save, isPending, error } = useSave()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ timeZone })
  }
  return (
    <Section title={strings.general} hint={mayManage ? undefined : strings.readOnly}>
      <form onSubmit={submit}>
        <Stack>
          <TimeZoneSelect
            label={strings.timeZone}
            hint={strings.timeZoneHint}
            value={timeZone}
            disabled={!mayManage}
            onChange={setTimeZone}
          />
          <FormError error={error} />
          {mayManage && (
            <Group>
              <Button type="submit" loading={isPending}>
                {settingsStrings.save}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  )
}

type Wallet = { currency: string }

function LimitsSection({ settings }: { settings: Settings }) {
  const [limits, setLimits] = useState<Limits>(settings.approvalLimits)
  const mayManage = useMay('manage')
  const { save, isPending, error } = useSave()
  const set = (currency: string, amount: string) => setLimits({ ...limits, [currency]: amount })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ approvalLimits: limits })
  }
  const currencies = Object.keys(limits).sort()
  return (
    <Section title={strings.limits} hint={strings.limitsHint}>
      <form onSubmit={submit}>
        <Stack>
          {currencies.length === 0 && <Text c="dimmed">{strings.noLimits}</Text>}
          {currencies.map((currency) => (
            <div key={currency} className={classes.limit}>
              <TextInput
                label={strings.limitFor(currency)}
                inputMode="decimal"
                required
                disabled={!mayManage}
                value={limits[currency] ?? ''}
                onChange={(event) => set(currency, event.currentTarget.value.trim())}
              />
              {mayManage && (
                <Button
                  variant="default"
                  aria-label={strings.removeLimit(currency)}
                  onClick={() => {
                    const { [currency]: _, ...rest } = limits
                    setLimits(rest)
                  }}
                >
                  {strings.remove}
                </Button>
              )}
            </div>
          ))}
          <FormError error={error} />
          {mayManage && (
            <Group justify="space-between" align="end">
              <Button type="submit" loading={isPending}>
                {settingsStrings.save}
              </Button>
              <AddLimit taken={currencies} onAdd={(currency) => set(currency, '')} />
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  )
}

function AddLimit({ taken, onAdd }: { taken: string[]; onAdd: (currency: string) => void }) {
  const wallets = useView<Wallet[]>('/wallets')
  const all = [...new Set((wallets.data ?? []).map(({ currency }) => currency))].sort()
  const free = all.filter((currency) => !taken.includes(currency))
  if (free.length === 0) return null
  return (
    <NativeSelect
      aria-label={strings.addLimit}
      data={[{ value: '', label: strings.addLimit }, ...free]}
      value=""
      onChange={(event) => event.currentTarget.value && onAdd(event.currentTarget.value)}
    />
  )
}
