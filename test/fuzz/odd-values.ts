import type { Random } from '../simulate/random.ts'

/** A piece of JSON that no value of ours would be written as. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Texts that have broken parsers, databases, terminals and pages before. */
export const oddTexts: readonly string[] = [
  ...['', ' ', '\t\r\n', '\u0000', 'a\u0000b', '\ud800', '\udfff', 'x\udc00\ud800y', '\u{10ffff}'],
  ...['\ufeff', '\ufffe', '\u202eabc', '\u2066x\u2069', '\u200b', '\u2028', '\u0085', '\u00a0'],
  ...[
    'e\u0301',
    '\u0301',
    'Z\u0351\u0351\u0351\u0351',
    '👩‍👩‍👧‍👦',
    'ﷺ',
    'ﬃ',
    'İ',
    'ß',
    'Å',
    '１２３',
    '٣',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
  ...['null', 'undefined', 'true', 'NaN', 'Infinity', '-0', '0', '-1', '1e400', '0x10', '1_000'],
  ...['9007199254740993', '18446744073709551616', '-9223372036854775809', '1'.repeat(400)],
  ...['2147483648', '1e-400', '0.1e1', '.5', '5.', '+5', '1,000', '٣٫٥', '0.00000000000000001'],
  ...["'", '"', "' or 1=1; --", "'); delete from wallets; --", '\\', '\\u0000', '%', '_', '%00'],
  ...['<script>alert(1)</script>', '{{7*7}}', '#{7*7}', '=1+1', '@SUM(A1)', '$(id)', '`id`'],
  ...['../../etc/passwd', '..\\..\\', 'file:///etc/passwd', 'https://127.0.0.1/', 'http://[::1]/'],
  ...['https://169.254.169.254/latest', 'https://user:pass@shop.example/', 'javascript:alert(1)'],
  ...['1970-01-01', '2026-02-30', '9999-12-31', '0000-00-00', '10000-01-01', '-000001-01-01'],
  ...['2026-13-01T00:00:00Z', '31-12-2026', '2026-01-01T24:00:00Z', '275760-09-13', '1e10'],
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ...['01990a3c-5a00-7001-8a5b-3c2d1e0f0042', '01990a3c5a0070018a5b3c2d1e0f0042', '{}', '[]'],
  ...[
    '\r\nx-injected: 1',
    'a\r\n\r\nb',
    '\u001b[31m',
    '\b\u007f',
    'a'.repeat(5000),
    '🙂'.repeat(300),
  ],
]

/** Numbers as they may stand in a text, also those that no number of ours can hold. */
const oddNumbers: readonly string[] = [
  ...['0', '-0', '-1', '1e400', '-1e400', '1e-400', '9007199254740993', '18446744073709551616'],
  ...['0.1', '0.001', '1e2', '1E+2', '1e21', '1e308', '123456789012345678901234567890', '5e-324'],
  ...[
    '2147483648',
    '-2147483649',
    '99999999999999.99',
    '0.30000000000000004',
    '1.005',
    '4294967296',
  ],
]

/** Things that look like numbers and are no JSON. */
const brokenNumbers: readonly string[] = ['NaN', 'Infinity', '01', '+1', '.5', '1.', '0x10', '--1']

const deepLevels = [20, 200, 5000]
const brokenShare = 0.1

export function oddNumber(random: Random): Raw {
  return new Raw(random.pick(random.chance(brokenShare) ? brokenNumbers : oddNumbers))
}

export function oddText(random: Random): string {
  return random.pick(oddTexts)
}

/** Any JSON at all. */
export function oddValue(random: Random): unknown {
  switch (random.int(9)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
    case 3:
      return oddNumber(random)
    case 4:
      return random.pick<unknown>([
        [],
        {},
        [[]],
        [null],
        [{}],
        { '': '' },
        { toString: 1, length: -1 },
      ])
    case 5:
      return deep(random)
    case 6:
      return Array.from({ length: random.int(40) }, () => oddText(random))
    case 7:
      return new Raw(`{"${random.pick(protoNames)}":{"isAdmin":true,"scopes":["payouts"]}}`)
    default:
      return oddText(random)
  }
}

export const protoNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

function deep(random: Random): Raw {
  const levels = random.pick(deepLevels)
  return random.chance(0.5)
    ? new Raw('['.repeat(levels) + ']'.repeat(levels))
    : new Raw(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
}

/** A value as JSON, with the pieces that stand for themselves. */
export function writeJson(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([name, each]) => {
    return `${JSON.stringify(name)}:${writeJson(each)}`
  })
  return `{${members.join(',')}}`
}
