import type { Command } from 'commander'
import { transaction } from '../db/transaction.ts'
import { newMasterKey, readMasterKeys, replaceMasterKeys } from '../master-key.ts'
import { audit } from '../merchants/audit.ts'
import { masterKeyId } from '../seal.ts'
import { CommandError } from './command-error.ts'
import { counted, joinBlocks, joinLines, table } from './layout.ts'
import { leaf } from './options.ts'
import { type KeyUse, keyUse, requireKnownPurposes, resealAll, sealedColumns } from './reseal.ts'
import { openSeal, type Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

export function addMasterKeyCommands(program: Command, terminal: Terminal): void {
  const masterKey = program
    .command('master-key')
    .description('Show and change the key that seals the secrets in the database')

  leaf(masterKey, 'status', 'Show the keys and how many secrets each of them opens').action(
    (options: AnswerOptions) => terminal.answer(options, status),
  )
  leaf(masterKey, 'rotate', 'Make a new key and seal every secret with it').action(
    (options: AnswerOptions) => terminal.answer(options, rotate),
  )
  leaf(masterKey, 'retire', 'Give up the old keys, once nothing needs them').action(
    (options: AnswerOptions) => terminal.answer(options, retire),
  )
}

const idOf = (key: Buffer): string => masterKeyId(key).toString('hex')

async function status(session: Session): Promise<Answer> {
  const ids = readMasterKeys(session.config).map(idOf)
  const use = await keyUse(session.db)
  const keys = [...new Set([...ids, ...use.keys()])].map((id) => ({
    id,
    state: ids[0] === id ? 'current' : ids.includes(id) ? 'old' : 'missing',
    secrets: use.get(id) ?? 0,
  }))
  const columns = [
    ...[{ title: 'KEY' }, { title: 'STATE' }],
    { title: 'SECRETS', align: 'right' as const },
  ]
  return {
    text: table(
      columns,
      keys.map(({ id, state, secrets }) => [id, state, String(secrets)]),
    ),
    json: keys,
    exitCode: keys.some(({ state }) => state === 'missing') ? 1 : 0,
  }
}

async function rotate(session: Session): Promise<Answer> {
  const { config, db, ids, actor } = session
  await openSeal(session)
  await requireKnownPurposes(db)
  const keys = readMasterKeys(config)
  const isGiven = config.masterKeys !== undefined
  if (isGiven && keys.length === 1) return newKeyAnswer(keys[0]!)
  // A second key is there after a rotation that was interrupted, or whose old key is not retired.
  if (!isGiven && keys.length === 1) replaceMasterKeys(config, [newMasterKey(), ...keys])
  const current = readMasterKeys(config)[0]!
  const sealed = await resealAll(db, await openSeal(session), current)
  const keyId = idOf(current)
  const detail = { sealed }
  await audit(db, ids, { actor, action: 'master_key.rotate', subject: keyId, detail })
  return {
    text: joinLines([
      `${counted(sealed, 'secret')} sealed anew: everything is under the key ${keyId}.`,
      'malipo master-key retire gives up the old key.',
    ]),
    json: { keyId, sealed },
  }
}

/** Settings of other processes cannot be changed from here. */
function newKeyAnswer(old: Buffer): Answer {
  const newKey = newMasterKey().toString('base64')
  return {
    text: joinBlocks([
      `A new key: ${newKey}`,
      joinLines([
        'Nothing is changed yet. The keys are settings of your nodes, so it takes these steps:',
        '1. Add it at the end, MALIPO_MASTER_KEY=old,new, and restart every node.',
        '2. Put it first, MALIPO_MASTER_KEY=new,old, and restart every node.',
        '3. malipo master-key rotate, with the setting of step 2, seals every secret with it.',
        '4. malipo master-key retire says whether the old key can go.',
        '5. Leave only the new key in the setting, and restart every node.',
      ]),
    ]),
    json: { newKey, newKeyId: idOf(Buffer.from(newKey, 'base64')), keyId: idOf(old), sealed: 0 },
  }
}

async function retire(session: Session): Promise<Answer> {
  const { config, db, ids, actor } = session
  await openSeal(session)
  const [current, ...old] = readMasterKeys(config)
  if (old.length === 0) throw new CommandError('There is no old key: nothing to retire.')
  const keyId = idOf(current!)
  const retired = old.map(idOf)
  await transaction(db, async (tx) => {
    // Whoever is about to write a secret ends first, so that what is counted is all there is.
    for (const { table: name } of await sealedColumns(tx)) {
      await tx.unsafe(`lock table ${name} in share mode`)
    }
    refuseWhileNeeded(await keyUse(tx), keyId)
    await audit(tx, ids, { actor, action: 'master_key.retire', subject: retired.join(',') })
    if (config.masterKeys === undefined) replaceMasterKeys(config, [current!])
  })
  const done =
    config.masterKeys === undefined
      ? `Retired: ${retired.join(', ')}. A backup from before the rotation still needs it.`
      : `Nothing needs ${retired.join(', ')}: take it out of MALIPO_MASTER_KEY on every node.`
  return { text: done, json: { keyId, retired } }
}

function refuseWhileNeeded(use: KeyUse, keyId: string): void {
  const others = [...use].filter(([id]) => id !== keyId)
  if (others.length === 0) return
  const what = others.map(([id, count]) => `${id} for ${counted(count, 'secret')}`).join(', ')
  throw new CommandError(
    `Old keys are still needed: ${what}. malipo master-key rotate seals them anew.`,
  )
}
