import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError, unreachable } from '../api/client.ts'
import { partsStrings as strings } from '../strings/parts.ts'

type EmptyProps = { title: string; hint?: ReactNode; action?: ReactNode }

/** Says why there is nothing, and what would change that. */
export function Empty({ title, hint, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <Text fw={600}>{title}</Text>
      {hint && (
        <Text c="dimmed" size="sm" ta="center" maw="28rem">
          {hint}
        </Text>
      )}
      {action && <div>{action}</div>}
    </Stack>
  )
}

type FailureProps = { error: unknown; onRetry?: (() => unknown) | undefined }

/** What went wrong, in the words of the service, and a way on. */
export function Failure({ error, onRetry }: FailureProps) {
  const { title, hint } = explain(error)
  const isRefused = error instanceof ApiError && (error.status === 403 || error.status === 404)
  return (
    <Stack align="center" gap="xs" py={48} px="md" role="alert">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" ta="center" maw="28rem">
        {hint}
      </Text>
      {onRetry && !isRefused && (
        <Button variant="default" size="sm" onClick={() => void onRetry()}>
          {strings.tryAgain}
        </Button>
      )}
    </Stack>
  )
}

function explain(error: unknown): { title: string; hint: string } {
  if (!(error instanceof ApiError)) return { title: strings.broken, hint: String(error) }
  if (error.code === unreachable) return { title: strings.unreachable, hint: error.message }
  if (error.status === 403) return { title: strings.forbidden, hint: strings.forbiddenHint }
  if (error.status === 404) return { title: strings.notFound, hint: error.message }
  return { title: strings.failed, hint: error.message }
}

export function Loading() {
  return (
    <Center py={64} role="status" aria-label={strings.loading}>
      <Loader type="dots" aria-hidden="true" />
    </Center>
  )
}

type Query<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown }

/** The data of a query, or what there is instead of it. */
export function Ready<Data>({
  query,
  children,
}: {
  query: Query<Data>
  children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <Failure error={query.error} onRetry={query.refetch} />
  return <Loading />
}

export function NotFound() {
  return (
    <Stack align="center" gap="xs" py={96} px="md">
      <Title order={1} ta="center">
        {strings.notFound}
      </Title>
      <Text c="dimmed" ta="center">
        {strings.notFoundHint}
      </Text>
      <Button component="a" href="/" variant="default" mt="sm">
        {strings.toOverview}
      </Button>
    </Stack>
  )
}
