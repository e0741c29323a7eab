import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { beginSession } from '../../api/session.ts'
import { Door } from '../../layout/Door.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { doorStrings as strings } from '../../strings/door.ts'

type Invitation = { email: string; name: string; merchant: string }

export function JoinPage() {
  const { token = '' } = useParams({ strict: false })
  const path = `/dashboard/invitation/${encodeURIComponent(token)}`
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call<Invitation>('GET', path),
  })
  if (invitation.data) return <JoinForm path={path} invitation={invitation.data} />
  if (invitation.error instanceof ApiError && invitation.error.status < 500) {
    return (
      <Door title={strings.joinGone} hint={strings.joinGoneHint}>
        <Button component="a" href="/sign-in" variant="default">
          {strings.toSignIn}
        </Button>
      </Door>
    )
  }
  return (
    <Door title={strings.joinLoading}>
      {invitation.error ? (
        <Failure error={invitation.error} onRetry={invitation.refetch} />
      ) : (
        <Loading />
      )}
    </Door>
  )
}

function JoinForm({ path, invitation }: { path: string; invitation: Invitation }) {
  const [name, setName] = useState(invitation.name)
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const router = useRouter()
  const join = useMutation<unknown, Error>({
    mutationFn: () => call('POST', path, { password, name: name.trim() }),
    onSuccess: async () => {
      await beginSession(client)
      await router.navigate({ href: '/' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.mutate()
  }
  return (
    <Door title={strings.join(invitation.merchant)} hint={strings.joinHint(invitation.email)}>
      <form onSubmit={submit}>
        <Stack>
          {/* Tells the browser's password store whose password this is. */}
          <input type="hidden" name="email" autoComplete="username" value={invitation.email} />
          <TextInput
            label={strings.name}
            autoComplete="name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label={strings.newPassword}
            description={strings.newPasswordHint}
            autoComplete="new-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <FormError error={join.error} />
          <Button type="submit" loading={join.isPending}>
            {strings.begin}
          </Button>
        </Stack>
      </form>
    </Door>
  )
}
