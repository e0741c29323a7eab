import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isFinal,
  type PayoutEvent,
  type PayoutState,
  payoutEvents,
  payoutStates,
  payoutTable,
  transition,
} from './payout.ts'

const cells = payoutStates.flatMap((state) =>
  payoutEvents.map((event) => ({ state, event, step: transition(state, event) })),
)
const isState = (step: string): step is PayoutState =>
  (payoutStates as readonly string[]).includes(step)
const where = ({ state, event }: { state: string; event: string }) => `${state} + ${event}`

test('every state knows every event, and no other', () => {
  assert.deepEqual(Object.keys(payoutTable), [...payoutStates])
  for (const state of payoutStates) {
    assert.deepEqual(Object.keys(payoutTable[state]), [...payoutEvents])
  }
  for (const { step } of cells)
    assert.ok(isState(step) || ['stays', 'contradiction'].includes(step))
})

test('a final state is never left', () => {
  for (const cell of cells) {
    if (isFinal(cell.state)) assert.ok(!isState(cell.step), where(cell))
  }
})

test('money moves in these cells and in no others', () => {
  const moving = cells.filter(({ step }) => isState(step) && isFinal(step)).map(where)
  assert.deepEqual(moving.sort(), [
    'accepted + succeeded',
    'submitted + failed',
    'submitted + succeeded',
    'submitting + failed',
    'submitting + succeeded',
    'unclear + failed',
    'unclear + succeeded',
  ])
})

test('a payout is sent only when it certainly is with no rail', () => {
  const sends = cells.filter(({ event, step }) => event === 'sent' && isState(step))
  assert.deepEqual(sends, [{ state: 'accepted', event: 'sent', step: 'submitting' }])
  const certain: PayoutEvent[] = ['unavailable', 'unknown']
  for (const cell of cells) {
    if (cell.step === 'accepted') assert.ok(certain.includes(cell.event), where(cell))
  }
})

test('what a rail has taken is not sent again, whatever it says later', () => {
  for (const event of payoutEvents) {
    assert.notEqual(transition('submitted', event), 'accepted')
    assert.notEqual(transition('submitted', event), 'submitting')
  }
})

test('a doubt never ends a payout', () => {
  for (const cell of cells) {
    if (cell.event !== 'succeeded' && cell.event !== 'failed') {
      assert.ok(!isState(cell.step) || !isFinal(cell.step), where(cell))
    }
  }
})

test('the opposite of a final word is kept as a contradiction', () => {
  assert.equal(transition('succeeded', 'failed'), 'contradiction')
  assert.equal(transition('failed', 'succeeded'), 'contradiction')
  assert.equal(transition('succeeded', 'succeeded'), 'stays')
  assert.equal(transition('failed', 'failed'), 'stays')
})

test('every state can be reached, and every open state can come to an end', () => {
  const nextOf = (state: PayoutState) =>
    cells.filter((cell) => cell.state === state && isState(cell.step)).map(({ step }) => step)
  const reach = (from: PayoutState): Set<string> => {
    const seen = new Set<string>([from])
    for (const state of seen) for (const step of nextOf(state as PayoutState)) seen.add(step)
    return seen
  }
  assert.deepEqual([...reach('accepted')].sort(), [...payoutStates].sort())
  for (const state of payoutStates.filter((each) => !isFinal(each))) {
    assert.ok(reach(state).has('succeeded') && reach(state).has('failed'), state)
  }
})
