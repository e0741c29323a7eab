/** What an answer is made of: its fields and their types, without the values. */
export type Shape = {
  is: string[]
  items?: Shape
  fields?: Record<string, Shape>
  always?: string[]
}

/** The shape of one value; of a list, what its items have in common and what each may be. */
export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) {
    return value.length === 0 ? { is: ['list'] } : { is: ['list'], items: join(value.map(shapeOf)) }
  }
  if (value === null || typeof value !== 'object') {
    return { is: [value === null ? 'null' : typeof value] }
  }
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, shapeOf(part)]),
  )
  return { is: ['object'], fields, always: Object.keys(fields) }
}

function join(shapes: Shape[]): Shape {
  const is = [...new Set(shapes.flatMap((shape) => shape.is))]
  const items = shapes.flatMap((shape) => shape.items ?? [])
  const objects = shapes.flatMap((shape) => (shape.fields ? [shape] : []))
  const names = [...new Set(objects.flatMap((shape) => Object.keys(shape.fields ?? {})))]
  const fields = Object.fromEntries(
    names.map((name) => [name, join(objects.flatMap((shape) => shape.fields?.[name] ?? []))]),
  )
  const always = names.filter((name) => objects.every((shape) => shape.always?.includes(name)))
  return {
    is,
    ...(items.length > 0 ? { items: join(items) } : {}),
    ...(objects.length > 0 ? { fields, always } : {}),
  }
}

/**
 * What a program written for the old shape would miss in the new one. New fields are no harm to it,
 * and where it has only seen null it cannot rely on anything else.
 */
export function missing(old: Shape, now: Shape, at = ''): string[] {
  const strange = old.is.every((type) => type === 'null')
    ? []
    : now.is.filter((type) => type !== 'null' && !old.is.includes(type))
  const found = strange.map(
    (type) => `${at || 'the answer'} is ${type}, was ${old.is.join(' or ')}`,
  )
  if (old.items && now.items) found.push(...missing(old.items, now.items, `${at}[]`))
  for (const name of old.always ?? []) {
    if (now.fields && !now.always?.includes(name)) found.push(`${at}.${name} is missing`)
  }
  for (const [name, shape] of Object.entries(old.fields ?? {})) {
    const part = now.fields?.[name]
    if (part) found.push(...missing(shape, part, `${at}.${name}`))
  }
  return found
}
