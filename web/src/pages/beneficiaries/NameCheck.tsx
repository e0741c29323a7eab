import { Anchor, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ApiError, call, publicPath } from '../../api/client.ts'
import { useEnvironment } from '../../api/queries.ts'
import { nameCheckStrings as strings } from '../../strings/beneficiaries.ts'
import { readRefusal } from '../refusals.ts'
import classes from './beneficiaries.module.css'
import { type DestinationValues, fieldsOf } from './destination.ts'

type Props = { values: DestinationValues; onUse?: (name: string) => void }

const pauseMs = 500
const keptMs = 60_000
const shortestPhone = 9
const shortestAccount = 4

/** Says whose account a number is while it is typed. It is a hint: nothing depends on it. */
export function NameCheck({ values, onUse }: Props) {
  const [question] = useDebouncedValue(questionOf(values), pauseMs)
  const environment = useEnvironment()
  const { data, error, isFetching } = useQuery({
    queryKey: ['public', environment, 'resolve', question],
    queryFn: ({ signal }) =>
      call<{ accountName: string }>(
        'POST',
        publicPath(environment, '/utilities/account/resolve'),
        JSON.parse(question ?? '{}'),
        signal,
      ),
    enabled: question !== undefined,
    retry: false,
    staleTime: keptMs,
  })
  const isCurrent = question !== undefined && question === questionOf(values)
  return (
    <div aria-live="polite" className={classes.nameCheck}>
      {isCurrent && isFetching && !data && <Hint text={strings.checking} />}
      {isCurrent && data && (
        <Found name={data.accountName} given={values.accountName} onUse={onUse} />
      )}
      {isCurrent && error && !isFetching && <NotFound error={error} />}
    </div>
  )
}

type FoundProps = { name: string; given: string; onUse: ((name: string) => void) | undefined }

function Found({ name, given, onUse }: FoundProps) {
  const typed = plain(given)
  const differs = typed !== '' && typed !== plain(name)
  return (
    <Text size="sm" className={classes.holder} data-tone={differs ? 'waiting' : 'good'}>
      {differs ? strings.differs(name) : strings.holder(name)}{' '}
      {onUse && typed !== plain(name) && (
        <Anchor component="button" type="button" size="sm" onClick={() => onUse(name)}>
          {strings.use}
        </Anchor>
      )}
    </Text>
  )
}

function NotFound({ error }: { error: Error }) {
  const code = error instanceof ApiError ? error.code : ''
  if (code === 'E-CH-PY.S-37') {
    return (
      <Text size="sm" className={classes.holder} data-tone="bad">
        {strings.unknown}
      </Text>
    )
  }
  if (code === 'RATE_LIMITED') return <Hint text={strings.later} />
  if (code === 'VALIDATION_ERROR') return <Hint text={readRefusal(error).sentence} />
  return <Hint text={strings.unavailable} />
}

function Hint({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  )
}

/** What to ask, as a text that can be compared; undefined while there is too little to ask with. */
function questionOf(values: DestinationValues): string | undefined {
  const { currency, destination } = values
  const accountNumber = values.accountNumber.trim()
  const code = values.code.trim()
  const fields = fieldsOf(values)
  if (!fields.canCheckName || currency === '') return undefined
  if (destination === 'MoMo') {
    if (accountNumber.length < shortestPhone || (fields.operatorRequired && code === '')) {
      return undefined
    }
    const operator = code === '' ? {} : { momoOperator: code }
    return JSON.stringify({ method: 'momo', accountNumber, currency, ...operator })
  }
  if (accountNumber.length < shortestAccount || code === '') return undefined
  return JSON.stringify({ method: 'bank', accountNumber, currency, bankCode: code })
}

const plain = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase()
