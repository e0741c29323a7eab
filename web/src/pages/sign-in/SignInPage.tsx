import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { beginSession } from '../../api/session.ts'
import { Door } from '../../layout/Door.tsx'
import { localPath, useUrlParams } from '../../parts/url.ts'
import { doorStrings as strings } from '../../strings/door.ts'

type SignIn = { email: string; password: string; code?: string }

export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const { params } = useUrlParams()
  const client = useQueryClient()
  const router = useRouter()
  const signIn = useMutation<unknown, Error, SignIn>({
    mutationFn: (given) => call('POST', '/dashboard/session', given),
    onSuccess: async () => {
      await beginSession(client)
      await router.navigate({ href: localPath(params.to) })
    },
    onError: (error) => {
      if (isAsking(error)) setCode('')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate({ email: email.trim(), password, ...(code ? { code: code.trim() } : {}) })
  }
  // The first time it is only a question; after a code it says that the code was wrong.
  const isQuestion = isAsking(signIn.error) && signIn.variables?.code === undefined
  const problem = isQuestion ? null : signIn.error
  if (code !== undefined) {
    const back = () => {
      setCode(undefined)
      setPassword('')
      signIn.reset()
    }
    return (
      <Door title={strings.codeTitle} hint={strings.codeHint}>
        <form onSubmit={submit}>
          <Stack>
            <CodeInput value={code} onChange={setCode} />
            <Problem error={problem} />
            <Button type="submit" loading={signIn.isPending}>
              {strings.verify}
            </Button>
            <Button variant="subtle" onClick={back}>
              {strings.otherAccount}
            </Button>
          </Stack>
        </form>
      </Door>
    )
  }
  return (
    <Door title={strings.signIn} hint={strings.signInHint}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={strings.email}
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={strings.password}
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Problem error={problem} />
          <Button type="submit" loading={signIn.isPending}>
            {strings.next}
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        {strings.firstTime}
      </Text>
    </Door>
  )
}

const takeFocus = (input: HTMLInputElement | null): void => input?.focus()

function CodeInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label={strings.code}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      required
      // The step replaces the form that had the focus.
      ref={takeFocus}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const isAsking = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'CODE_REQUIRED'

function Problem({ error }: { error: Error | null }) {
  if (!error) return null
  const wait =
    error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : undefined
  return (
    <Alert color="red" role="alert">
      {wait === undefined ? error.message : strings.waitFor(wait)}
    </Alert>
  )
}
