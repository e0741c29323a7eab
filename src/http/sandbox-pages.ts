import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Charge, isFinal } from '../charges/charge.ts'
import { readCharge } from '../charges/store.ts'
import { slotOf } from '../ids.ts'
import { formatMinor } from '../money/amounts.ts'
import type { Dependencies } from './dependencies.ts'

const formLimitBytes = 4096

/**
 * The pages a bank or an operator would show: the customer confirms a payment or declines it. They
 * work without scripts, and a link works once.
 */
export async function registerSandboxPages(app: FastifyInstance, on: Dependencies): Promise<void> {
  const { sandbox } = on
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formLimitBytes },
      async (_request: unknown, text: string) => Object.fromEntries(new URLSearchParams(text)),
    )
    scope.get<{ Params: { link: string } }>('/sandbox/confirm/:link', async ({ params }, reply) => {
      const found = await find(on, params.link)
      if (!found) return sendPage(reply, 404, unknownPage)
      if (found.entry.stage !== 'redirect') return sendPage(reply, 410, usedPage)
      if (isOver(on, found.charge)) return sendPage(reply, 410, overPage)
      return sendPage(reply, 200, questionPage(found.charge), returnAddresses(found.charge))
    })
    scope.post<{ Params: { link: string }; Body: { decision?: string } | undefined }>(
      '/sandbox/confirm/:link',
      async ({ params, body }, reply) => {
        const found = await find(on, params.link)
        if (!found) return sendPage(reply, 404, unknownPage)
        const decision = body?.decision
        if (decision !== 'approve' && decision !== 'decline') {
          return sendPage(reply, 400, questionPage(found.charge), returnAddresses(found.charge))
        }
        if (isOver(on, found.charge)) return sendPage(reply, 410, overPage)
        const approved = decision === 'approve'
        if (!(await sandbox.decide(found.entry, approved))) return sendPage(reply, 410, usedPage)
        const address = returnAddress(found.charge, approved)
        if (address !== undefined) return reply.redirect(address, 303)
        return sendPage(reply, 200, approved ? approvedPage : declinedPage)
      },
    )
    done()
  })
}

async function find({ db, sandbox }: Dependencies, link: string) {
  const entry = await sandbox.findLink(link)
  if (!entry) return undefined
  const charge = await readCharge(db, slotOf(entry.key) ?? 0, entry.key)
  return charge ? { entry, charge } : undefined
}

/** Nobody pays for a charge that has ended: the bank or the operator would not let them. */
function isOver({ clock }: Dependencies, { state, deadlineAt }: Charge): boolean {
  return isFinal(state) || clock.now() >= deadlineAt.getTime()
}

/** Where the customer goes on; what became of the payment is for the API to say. */
function returnAddress({ id, externalReference, details }: Charge, approved: boolean) {
  const { redirectUrl, successRedirectUrl, failureRedirectUrl } = details ?? {}
  const address = redirectUrl ?? (approved ? successRedirectUrl : failureRedirectUrl)
  if (address === undefined) return undefined
  const url = new URL(address)
  url.searchParams.set('transactionId', id)
  url.searchParams.set('externalReference', externalReference)
  url.searchParams.set('status', approved ? 'approved' : 'declined')
  return url.href
}

function returnAddresses(charge: Charge): string[] {
  return [true, false].flatMap((approved) => {
    const address = returnAddress(charge, approved)
    return address === undefined ? [] : [new URL(address).origin]
  })
}

/** A form that leads on to the shop is allowed to do just that. */
function sendPage(reply: FastifyReply, status: number, body: string, leadsTo: string[] = []) {
  const targets = ["'self'", ...new Set(leadsTo)].join(' ')
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; ` +
        `frame-ancestors 'none'; form-action ${targets}`,
    )
    .send(body)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/malipo.css">
<link rel="icon" href="/mark.svg" type="image/svg+xml">
</head>
<body>
<main class="confirm">
<img src="/mark.svg" alt="" width="48" height="48">
<h1>${title}</h1>
${content}
<p class="hint">This is the Malipo sandbox. No real money moves.</p>
</main>
</body>
</html>
`
}

function questionPage({ amount, currency, accountNumber, externalReference }: Charge): string {
  return page(
    'Confirm your payment',
    `<dl>
<dt>Amount</dt><dd>${escapeHtml(formatMinor(amount, currency))}</dd>
<dt>Paid with</dt><dd>${escapeHtml(accountNumber)}</dd>
<dt>Reference</dt><dd>${escapeHtml(externalReference)}</dd>
</dl>
<form method="post">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="decline" class="quiet">Decline</button>
</form>`,
  )
}

const approvedPage = page('Payment approved', '<p class="lead">You can close this page.</p>')
const declinedPage = page('Payment declined', '<p class="lead">You can close this page.</p>')
const usedPage = page(
  'This link was used',
  '<p class="lead">A confirmation link works once. Start the payment again for a new one.</p>',
)
const overPage = page(
  'This payment is over',
  '<p class="lead">It was not confirmed in time, or it has failed. Start it again.</p>',
)
const unknownPage = page(
  'This link does not work',
  '<p class="lead">It is incomplete, or it was changed on its way.</p>',
)

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
}
