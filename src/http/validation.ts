import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import compileSerializer from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { type AppError, validationError } from '../errors.ts'

export type RequestPart = 'body' | 'headers' | 'params' | 'querystring'

/** Judges, and tells in `errors` what is wrong where it says no. */
export type Validator = { (data: unknown): boolean; errors?: ErrorObject[] | null }

const strict = new Ajv({ strict: false, useDefaults: true })
const fromText = new Ajv({ strict: false, useDefaults: true, coerceTypes: true })

/**
 * Bodies are taken as they are: a number sent as text is refused. What comes in the address is
 * always text, so there "10" stands for 10. A schema is compiled when a request first needs it:
 * all of them at once would make a start half a second longer.
 */
export function validatorOf(part: RequestPart, schema: TSchema): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (data) => {
    compiled ??= (part === 'body' ? strict : fromText).compile(schema)
    const isFit = compiled(data)
    if (!isFit) validate.errors = compiled.errors ?? null
    return isFit
  }
  return validate
}

type Serializer = (data: unknown) => string

const serializers = new WeakMap<object, Serializer>()

/** Writes answers of the form of a schema, which is compiled for the first of them. */
export function serializerOf(schema: object): Serializer {
  let serialize: Serializer | undefined
  return (data) => {
    serialize ??= serializers.getOrInsertComputed(schema, () => compileSerializer(schema))
    return serialize(data)
  }
}

/** What is wrong in a sentence that names the field, as a person would say it. */
export function validationFault(part: string, errors: readonly ErrorObject[]): AppError {
  const error = errors[0]
  if (!error) return validationError('the request is not valid.')
  const field = fieldOf(error)
  const subject = field === '' ? `the ${part === 'querystring' ? 'query' : part}` : field
  return validationError(`${subject} ${predicateOf(error)}.`)
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.split('/').filter((step) => step !== '')
  if (keyword === 'required') path.push(String(params.missingProperty))
  return path.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

const articleOf: Record<string, string> = {
  object: 'a JSON object',
  array: 'an array',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

function predicateOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type': {
      const types = [params.type].flat() as string[]
      return `must be ${types.map((type) => articleOf[type] ?? `a ${type}`).join(' or ')}`
    }
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'const':
      return `must be ${params.allowedValue}`
    case 'pattern':
      return 'has the wrong form'
    default:
      return message ?? 'is not valid'
  }
}
