import { Alert } from '@mantine/core'

/** Why the service refused what a form sent. */
export function FormError({ error }: { error: Error | null | undefined }) {
  if (!error) return null
  return (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  )
}
