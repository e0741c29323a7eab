import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { useMay, useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { batchStrings as strings } from '../../strings/batches.ts'
import { useLast } from '../use-last.ts'
import { type Batch, totalsText } from './batch.ts'

type Action = 'submit' | 'approve' | 'cancel'

/** What a person can do with a batch now: submit, approve or cancel. */
export function NextStep({ batch }: { batch: Batch }) {
  const [asked, setAsked] = useState<Action>()
  const isOpen = batch.state === 'draft' || batch.state === 'waiting_for_approval'
  return (
    <>
      {isOpen && <Choices batch={batch} onChoose={setAsked} />}
      {/* It outlives the choices: its answer comes when they are gone. */}
      <Ask action={asked} batch={batch} onClose={() => setAsked(undefined)} />
    </>
  )
}

type ChoicesProps = { batch: Batch; onChoose: (action: Action) => void }

function Choices({ batch, onChoose }: ChoicesProps) {
  const mayPay = useMay('moveMoney')
  const { person } = useSession()
  const isDraft = batch.state === 'draft'
  const isOwn = person.id === batch.createdBy.id
  const texts = isDraft ? draftText(batch) : [strings.waiting]
  return (
    <Section title={strings.nextTitle}>
      <Stack gap="md">
        <div>
          {texts.map((text) => (
            <Text key={text}>{text}</Text>
          ))}
          {!isDraft && isOwn && <Text c="dimmed">{strings.waitingForOther}</Text>}
        </div>
        {mayPay && (
          <Group gap="sm">
            {isDraft && batch.valid > 0 && (
              <Button onClick={() => onChoose('submit')}>
                {strings.submit(formatCount(batch.valid))}
              </Button>
            )}
            {!isDraft && !isOwn && (
              <Button onClick={() => onChoose('approve')}>{strings.approve}</Button>
            )}
            <Button variant="default" onClick={() => onChoose('cancel')}>
              {strings.cancel}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

function draftText({ valid, invalid, needsApproval }: Batch): string[] {
  if (valid === 0) return [strings.allInvalid]
  const lines = invalid > 0 ? strings.someInvalid(invalid) : strings.ready
  return [lines, needsApproval ? strings.approvalNeeded : strings.noApprovalNeeded]
}

const words = {
  submit: { title: strings.submitTitle, text: strings.submitText, done: strings.submitted },
  approve: { title: strings.approveTitle, text: strings.approveText, done: strings.approved },
  cancel: { title: strings.cancelTitle, text: strings.cancelText, done: strings.cancelled },
}

type AskProps = { action: Action | undefined; batch: Batch; onClose: () => void }

function Ask({ action: asked, batch, onClose }: AskProps) {
  const action = useLast(asked) ?? 'submit'
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const { title, text, done } = words[action]
  const confirm = () =>
    send.mutate(
      {
        method: 'POST',
        path: paths.view(`/batches/${batch.id}/${action}`),
        ...(action === 'submit' ? { body: { skipInvalid: batch.invalid > 0 } } : {}),
      },
      {
        onSuccess: () => {
          tell(done)
          onClose()
        },
      },
    )
  const labels = {
    submit: strings.submit(formatCount(batch.valid)),
    approve: strings.approve,
    cancel: strings.cancel,
  }
  return (
    <ConfirmDialog
      opened={asked !== undefined}
      danger={action === 'cancel'}
      title={title}
      confirm={labels[action]}
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text>{text}</Text>
        {action !== 'cancel' && <Text fw={600}>{totalsText(batch.totals)}</Text>}
        {action === 'submit' && batch.invalid > 0 && (
          <Text>{strings.submitSkip(batch.invalid)}</Text>
        )}
      </Stack>
    </ConfirmDialog>
  )
}
