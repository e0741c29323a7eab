import { Button } from '@mantine/core'
import { partsStrings as strings } from '../strings/parts.ts'
import { Icon } from './Icon.tsx'

/** The browser saves the file as it comes, whatever its size. */
export function DownloadButton({ href, label }: { href: string; label?: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      {label ?? strings.downloadCsv}
    </Button>
  )
}
