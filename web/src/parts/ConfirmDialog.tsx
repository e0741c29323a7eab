import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'

type Props = {
  opened: boolean
  title: string
  children: ReactNode
  confirm: string
  /** For what cannot be taken back. */
  danger?: boolean
  isPending?: boolean
  error?: Error | null
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something is done; a refusal is shown where the question was. */
export function ConfirmDialog(props: Props) {
  const { opened, title, children, confirm, danger, isPending, error, onConfirm, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack gap="md">
        <div>{children}</div>
        {error && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {strings.cancel}
          </Button>
          <Button
            loading={isPending ?? false}
            onClick={onConfirm}
            {...(danger ? { color: 'red' } : {})}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
