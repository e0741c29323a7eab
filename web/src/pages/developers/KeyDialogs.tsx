import { NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { keysStrings as strings } from '../../strings/developers.ts'
import type { CreatedKey, Key } from './keys.ts'

type Props = { opened: boolean; of: Key | undefined; onClose: () => void }
type RotateProps = Props & { onCreated: (key: CreatedKey) => void }

const usualOverlapMinutes = '60'

export function RotateKeyDialog({ opened, of: key, onCreated, onClose }: RotateProps) {
  const paths = usePaths()
  const send = useSend<CreatedKey>()
  const [minutes, setMinutes] = useState(usualOverlapMinutes)
  const confirm = () =>
    send.mutate(
      {
        method: 'POST',
        path: paths.view(`/keys/${key?.id}/rotate`),
        body: { overlapMinutes: Number(minutes) },
      },
      { onSuccess: onCreated },
    )
  return (
    <ConfirmDialog
      opened={opened}
      title={strings.rotateTitle(key?.name ?? '')}
      confirm={strings.rotate}
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>{strings.rotateText}</Text>
        <NativeSelect
          label={strings.overlap}
          data={strings.overlaps}
          value={minutes}
          onChange={(event) => setMinutes(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDialog>
  )
}

export function RevokeKeyDialog({ opened, of: key, onClose }: Props) {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const confirm = () =>
    send.mutate(
      { method: 'DELETE', path: paths.view(`/keys/${key?.id}`) },
      {
        onSuccess: () => {
          tell(strings.revokedNow)
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      opened={opened}
      danger
      title={strings.revokeTitle(key?.name ?? '')}
      confirm={strings.revoke}
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {strings.revokeText}
    </ConfirmDialog>
  )
}
