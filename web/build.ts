import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

// Builds the dashboard into dist/ when it is missing or made from other sources than these.

const here = import.meta.dirname
const output = join(here, 'dist')
const stampFile = 'stamp.txt'
const sources = ['build.ts', 'index.html', 'package.json', 'tsconfig.json', 'vite.config.ts', 'src']
const compressible = ['.css', '.html', '.js', '.svg']

/** Changes whenever a source does; the version of every package stands in package.json. */
function stampOf(): string {
  const hash = createHash('sha256')
  const add = (path: string) => {
    hash.update(relative(here, path).replaceAll(sep, '/')).update('\0')
    hash.update(readFileSync(path)).update('\0')
  }
  for (const name of sources) {
    const path = join(here, name)
    if (extname(name) !== '') add(path)
    else for (const file of filesBelow(path)) add(file)
  }
  return hash.digest('hex')
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function isFresh(stamp: string): boolean {
  const path = join(output, stampFile)
  return existsSync(path) && readFileSync(path, 'utf8') === stamp
}

async function compress(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const name of names.filter((each) => compressible.includes(extname(each)))) {
    // The server writes a nonce into the page, so it cannot be sent as it lies here.
    if (name === 'index.html') continue
    const path = join(folder, name)
    const content = await readFile(path)
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params: quality }))
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

/** Made beside and then put in place, so that whoever serves dist/ never sees half of it. */
async function build(stamp: string): Promise<void> {
  const work = join(here, 'node_modules', `.build-${process.pid}`)
  const [fresh, old] = [join(work, 'fresh'), join(work, 'old')]
  await mkdir(work, { recursive: true })
  try {
    const [vite, { config }] = await Promise.all([import('vite'), import('./vite.config.ts')])
    await vite.build({ ...config, build: { ...config.build, outDir: fresh, emptyOutDir: true } })
    await compress(fresh)
    await writeFile(join(fresh, stampFile), stamp)
    if (existsSync(output)) await rename(output, old)
    await rename(fresh, output)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const stamp = stampOf()
if (!isFresh(stamp)) {
  try {
    await build(stamp)
  } catch (error) {
    // Two that build at once end with the same thing, whoever was first.
    if (!isFresh(stamp)) {
      console.error(`The dashboard could not be built: ${(error as Error).message}`)
      console.error('The service works without it. To try again: node web/build.ts')
      process.exitCode = 1
    }
  }
}
