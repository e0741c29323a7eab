import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type GeneratedFile = {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Those that are missing, or that hold something else than the code says. */
export async function staleFiles(
  root: string,
  files: readonly GeneratedFile[],
): Promise<GeneratedFile[]> {
  const stale: GeneratedFile[] = []
  for (const file of files) {
    const text = await readFile(join(root, file.path), 'utf8').catch(() => undefined)
    // A checkout may turn line ends; the file is the same.
    if (text?.replaceAll('\r\n', '\n') !== file.text) stale.push(file)
  }
  return stale
}

export async function writeFiles(root: string, files: readonly GeneratedFile[]): Promise<void> {
  for (const { path, text } of files) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
