import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { encode } from 'uqr'
import { usePaths, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { settingsStrings as strings } from '../../strings/settings.ts'
import classes from './settings.module.css'

type Offer = { secret: string; url: string }

export function TotpSection() {
  const { person } = useSession()
  const [offered, setOffered] = useState<Offer>()
  const paths = usePaths()
  const send = useSend<Offer>()
  const begin = () =>
    send.mutate({ method: 'POST', path: paths.shared('/totp') }, { onSuccess: setOffered })
  return (
    <Section title={strings.totp} hint={person.totp ? strings.totpOnHint : strings.totpOffHint}>
      <FormError error={send.error} />
      {person.totp && <TurnOff />}
      {!person.totp && offered && <TurnOn offer={offered} onDone={() => setOffered(undefined)} />}
      {!person.totp && !offered && (
        <Button variant="default" onClick={begin} loading={send.isPending}>
          {strings.totpStart}
        </Button>
      )}
    </Section>
  )
}

function TurnOn({ offer, onDone }: { offer: Offer; onDone: () => void }) {
  const [code, setCode] = useState('')
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate(
      { method: 'PUT', path: paths.shared('/totp'), body: { code: code.trim() } },
      {
        onSuccess: () => {
          tell(strings.totpEnabled)
          onDone()
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{strings.totpScan}</Text>
        <QrCode text={offer.url} />
        <CopyField label={strings.totpSecret} value={offer.secret} />
        <TextInput
          label={strings.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <FormError error={send.error} />
        <Group>
          <Button type="submit" loading={send.isPending}>
            {strings.totpEnable}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Dark on light whatever the colours of the page: that is what cameras read. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 3 })
  const dots = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={strings.totpQr}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dots.join('')} fill="#000" />
    </svg>
  )
}

function TurnOff() {
  const [isAsking, setAsking] = useState(false)
  const [password, setPassword] = useState('')
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const close = () => {
    setAsking(false)
    setPassword('')
    send.reset()
  }
  const confirm = () =>
    send.mutate(
      { method: 'DELETE', path: paths.shared('/totp'), body: { password } },
      {
        onSuccess: () => {
          tell(strings.totpDisabled)
          close()
        },
      },
    )
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {strings.totpDisable}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={strings.totpDisableTitle}
        confirm={strings.totpDisable}
        danger
        isPending={send.isPending}
        error={send.error}
        onConfirm={confirm}
        onClose={close}
      >
        <Text mb="md">{strings.totpDisableHint}</Text>
        <PasswordInput
          label={strings.currentPassword}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </ConfirmDialog>
    </>
  )
}
