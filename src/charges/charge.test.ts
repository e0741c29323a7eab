import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ChargeEvent,
  type ChargeState,
  chargeEvents,
  chargeStates,
  chargeTable,
  isFinal,
  type Step,
  transition,
} from './charge.ts'

/** The rules the table is made of, in the order in which the first one that fits decides. */
const rules: [why: string, fits: (state: ChargeState, event: ChargeEvent) => boolean, Step][] = [
  ['what succeeded cannot have failed', is('succeeded', ['failed', 'unknown']), 'contradiction'],
  ['what failed cannot have been collected', is('failed', ['succeeded']), 'contradiction'],
  ['what is sent was accepted and not yet sent', is('accepted', ['sent']), 'submitting'],
  ['nothing else is sent', (_, event) => event === 'sent', 'contradiction'],
  ['a final state stays', (state) => isFinal(state), 'stays'],
  ['success settles', (_, event) => event === 'succeeded', 'succeeded'],
  ['failure and deadline end', (_, event) => ['failed', 'expired'].includes(event), 'failed'],
  [
    'what was never sent cannot have been taken',
    is('accepted', ['taken', 'pending', 'step']),
    'contradiction',
  ],
  ['what was never sent stays', (state) => state === 'accepted', 'stays'],
  ['a step waits for the customer', (_, event) => event === 'step', 'awaiting'],
  ['what the rail has stays in progress', is('processing', ['taken', 'pending']), 'stays'],
  ['a rail that waits takes no step away', is('awaiting', ['pending']), 'stays'],
  [
    'what the rail has is in progress',
    (_, event) => ['taken', 'pending'].includes(event),
    'processing',
  ],
  [
    'what a rail had cannot be unknown to it',
    (state, event) => event === 'unknown' && ['awaiting', 'processing'].includes(state),
    'contradiction',
  ],
  ['what no rail knows may be sent again', (_, event) => event === 'unknown', 'accepted'],
  ['what was certainly not taken may be sent again', is('submitting', ['unavailable']), 'accepted'],
  ['no clear answer to a sending is unclear', is('submitting', ['unclear']), 'unclear'],
  ['no answer changes nothing', (_, event) => ['unavailable', 'unclear'].includes(event), 'stays'],
]

function is(state: ChargeState, events: ChargeEvent[]) {
  return (given: ChargeState, event: ChargeEvent) => given === state && events.includes(event)
}

test('every cell of the table of charges is what the rules say', () => {
  for (const state of chargeStates) {
    for (const event of chargeEvents) {
      const rule = rules.find(([, fits]) => fits(state, event))
      assert.ok(rule, `no rule for ${event} in ${state}`)
      assert.equal(transition(state, event), rule[2], `${event} in ${state}: ${rule[0]}`)
    }
  }
})

test('the table is total, no final state is left, and every state can reach one', () => {
  assert.deepEqual(Object.keys(chargeTable), [...chargeStates])
  for (const state of chargeStates) {
    assert.deepEqual(Object.keys(chargeTable[state]), [...chargeEvents])
    const next = Object.values(chargeTable[state]).filter((step) => step !== 'contradiction')
    if (isFinal(state)) assert.deepEqual(new Set(next), new Set(['stays']))
    else assert.ok(next.includes('succeeded') && next.includes('failed'))
  }
})
