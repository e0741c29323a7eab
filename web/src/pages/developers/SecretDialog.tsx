import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { keysStrings as strings } from '../../strings/developers.ts'

type Props = {
  opened: boolean
  title: string
  text: string
  children: ReactNode
  onClose: () => void
}

/** Shows what is shown once. It closes by its button only, so that nobody loses it by a slip. */
export function SecretDialog({ opened, title, text, children, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text>{text}</Text>
        {children}
        <Group justify="end">
          <Button onClick={onClose}>{strings.stored}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
