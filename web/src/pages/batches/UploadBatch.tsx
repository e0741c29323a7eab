import { Alert, Button, FileButton, Loader, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useRef, useState } from 'react'
import { useEnvironment, usePaths, useSend } from '../../api/queries.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Section } from '../../parts/Section.tsx'
import { batchesStrings as strings } from '../../strings/batches.ts'
import { readRefusal } from '../refusals.ts'
import type { Batch } from './batch.ts'
import classes from './batches.module.css'

const maxBytes = 5 * 1024 * 1024
const maxNameLength = 100

/** Takes a file by hand or by drop, and leads to what the service found in it. */
export function UploadBatch() {
  const [isOver, setOver] = useState(false)
  const { take, error, name, isPending } = useUpload()
  const resetRef = useRef<() => void>(null)
  const choose = (file: File | null) => {
    // The same file may be chosen again after it was mended.
    resetRef.current?.()
    if (file) void take(file)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files[0] ?? null)
  }
  const onDragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <Section title={strings.uploadTitle}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same. */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={onDragOver}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        {isPending ? (
          <Text role="status">
            <Loader size="xs" mr="xs" aria-hidden="true" />
            {strings.checking(name)}
          </Text>
        ) : (
          <>
            <Icon name="batches" size={28} />
            <Text fw={550}>{strings.drop}</Text>
            <Text size="sm" c="dimmed">
              {strings.or}
            </Text>
            <FileButton onChange={choose} accept=".csv,text/csv" resetRef={resetRef}>
              {(props) => <Button {...props}>{strings.choose}</Button>}
            </FileButton>
            <Text size="sm" c="dimmed" ta="center">
              {strings.limits}
            </Text>
          </>
        )}
      </div>
      {error && (
        <Alert color="red" role="alert" mt="md">
          {error}
        </Alert>
      )}
    </Section>
  )
}

function useUpload() {
  const environment = useEnvironment()
  const navigate = useNavigate()
  const paths = usePaths()
  const send = useSend<Batch>()
  const [problem, setProblem] = useState('')
  const [name, setName] = useState('')
  const take = async (file: File) => {
    send.reset()
    setName(file.name)
    const found = problemOf(file)
    setProblem(found)
    if (found !== '') return
    const csv = await file.text().catch(() => undefined)
    if (csv === undefined) return setProblem(strings.unreadable)
    const body = { name: file.name.replace(/\.csv$/i, '').slice(0, maxNameLength), csv }
    send.mutate(
      { method: 'POST', path: paths.view('/batches'), body },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/$environment/batches/$batchId',
            params: { environment, batchId: id },
          }),
      },
    )
  }
  const error = problem || (send.error ? readRefusal(send.error).sentence : '')
  return { take, error, name, isPending: send.isPending }
}

function problemOf(file: File): string {
  if (file.size > maxBytes) return strings.tooLarge
  const isCsv = /\.(csv|txt)$/i.test(file.name) || file.type.startsWith('text/')
  return isCsv ? '' : strings.notCsv
}
