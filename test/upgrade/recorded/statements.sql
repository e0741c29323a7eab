-- 1
with due as materialized (
      select slot, id, state from transactions
      where due_at <= $1::timestamptz and kind = 'payout' and rail = any($2::text[])
      order by due_at limit $3 for update skip locked
    )
    update transactions t set
      due_at = $4::timestamptz,
      leased_until = $5::timestamptz,
      state = case when t.state = 'accepted' then 'submitting' else t.state end,
      submits = t.submits + (t.state = 'accepted')::int,
      submitted_at = case when t.state = 'accepted'
        then greatest($6::timestamptz, t.submitted_at + interval '1 millisecond')
        else t.submitted_at end,
      updated_at = $7::timestamptz
    from due
    where t.slot = due.slot and t.id = due.id
    returning due.state as found, t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.account_name as "accountName", t.submits, t.lookups, t.account_number as "accountNumber", t.branch_code as "branchCode", t.business_number as "businessNumber", t.rail_turn as "railTurn", t.provider_reference as "providerReference", t.submitted_at as "submittedAt", t.created_at as "createdAt"

-- 2
update transactions t set
      due_at = $1::timestamptz,
      leased_until = $2::timestamptz,
      state = case when t.state = 'accepted' and t.deadline_at > $3::timestamptz then 'submitting' else t.state end,
      submits = t.submits + (t.state = 'accepted' and t.deadline_at > $4::timestamptz)::int,
      submitted_at = case when t.state = 'accepted' and t.deadline_at > $5::timestamptz then $6::timestamptz else t.submitted_at end,
      updated_at = $7::timestamptz
    from (
      select slot, id, state from transactions
      where due_at <= $8::timestamptz and kind = 'charge'
      order by due_at limit $9 for update skip locked
    ) due
    where t.slot = due.slot and t.id = due.id
    returning due.state as found, t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.exchange_rate as "exchangeRate", t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.submits, t.lookups, t.details, t.account_number as "accountNumber", t.provider_reference as "providerReference", t.step_required as "stepRequired", t.redirect_url as "redirectUrl", t.wrong_values as "wrongValues", t.submitted_at as "submittedAt", t.deadline_at as "deadlineAt", t.created_at as "createdAt"

-- 3
update sandbox_rail_book set callbacks_left = callbacks_left - 1,
        callback_due_at = case when callbacks_left > 1 then callback_due_at end
      where (rail, key) in (
        select rail, key from sandbox_rail_book
        where rail = $1 and callback_due_at <= to_timestamp($2::float8 / 1000)
        order by callback_due_at limit $3 for update skip locked
      )
      returning 
  rail, key, direction, account_number as "accountNumber", amount, currency, behaviour, arrivals,
  (extract(epoch from taken_at) * 1000)::float8 as "takenAtMs", stage, refused,
  (extract(epoch from confirmed_at) * 1000)::float8 as "confirmedAtMs"

-- 4
select c.id as "credentialId", c.public_key as "publicKey", c.account_id as "accountId",
      a.merchant_id as "merchantId", a.slot, a.environment, a.time_zone as "timeZone",
      a.fee_plan as "feePlan", c.scopes,
      c.ip_allow_list::text[] as "ipAllowList", c.token_issued_at as "tokenIssuedAt",
      c.token_key_id as "tokenKeyId", c.expires_at as "expiresAt", c.revoked_at as "revokedAt"
    from credentials c join accounts a on a.id = c.account_id
    where c.api_key_hash = $1

-- 5
select id, secret_sealed as secret, created_at as "createdAt",
        retired_at is null and created_at > now() - $1 * interval '1 day' as signs
      from signing_keys
      where retired_at is null or retired_at > now() - $2 * interval '1 day'
      order by created_at desc, id

-- 6
begin

-- 7
lock table signing_keys in exclusive mode

-- 8
select id from signing_keys
      where retired_at is null and created_at > now() - $1 * interval '1 day'

-- 9
update signing_keys set retired_at = now() where retired_at is null

-- 10
insert into signing_keys (id, secret_sealed)
      values ($1, $2)

-- 11
commit

-- 12
update credentials set token_issued_at = to_timestamp($1), token_key_id = $2
    where id = $3 and token_issued_at is not distinct from $4
    returning id

-- 13
select c.id as "credentialId", c.public_key as "publicKey", c.account_id as "accountId",
      a.merchant_id as "merchantId", a.slot, a.environment, a.time_zone as "timeZone",
      a.fee_plan as "feePlan", c.scopes,
      c.ip_allow_list::text[] as "ipAllowList", c.token_issued_at as "tokenIssuedAt",
      c.token_key_id as "tokenKeyId", c.expires_at as "expiresAt", c.revoked_at as "revokedAt"
    from credentials c join accounts a on a.id = c.account_id
    where c.id = $1

-- 14
select m.first_name as "firstName", m.last_name as "lastName", m.email,
        live.webhook_url as "webhookUrl", sandbox.webhook_url as "sandboxWebhookUrl",
        own.webhook_paused_at as "webhooksPausedAt"
      from merchants m
      join accounts own on own.id = $1
      join accounts live on live.merchant_id = m.id and live.environment = 'live'
      join accounts sandbox on sandbox.merchant_id = m.id and sandbox.environment = 'sandbox'
      where m.id = $2

-- 15
select id, slot, account_id as "accountId", environment, currency, country, available, held from wallets
    where slot = $1 and account_id = $2
    order by currency, country

-- 16
select c.slot as "callbackSlot", c.id as "callbackId", c.rail as "callbackRail", c.outcome,
      c.said, c.provider_reference as reference, c.amount as "newsAmount",
      c.currency as "newsCurrency", t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.account_name as "accountName", t.submits, t.lookups, t.account_number as "accountNumber", t.branch_code as "branchCode", t.business_number as "businessNumber", t.rail_turn as "railTurn", t.provider_reference as "providerReference", t.submitted_at as "submittedAt", t.created_at as "createdAt"
    from rail_callbacks c
    left join transactions t on t.slot = c.slot and t.id = c.transaction_id and t.kind = 'payout'
    where c.handled_at is null and c.direction = 'payout'
      and (c.outcome <> 'reversed' or t.state is null or t.state in ('succeeded', 'failed'))
    order by c.received_at limit $1

-- 17
select c.slot as "callbackSlot", c.id as "callbackId", c.rail as "callbackRail", c.outcome,
      c.said, c.provider_reference as reference, c.amount as "newsAmount",
      c.currency as "newsCurrency", c.arrival_id as "arrivalId",
      c.account_number as "arrivalAccount", c.received_at as "receivedAt",
      t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.exchange_rate as "exchangeRate", t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.submits, t.lookups, t.details, t.account_number as "accountNumber", t.provider_reference as "providerReference", t.step_required as "stepRequired", t.redirect_url as "redirectUrl", t.wrong_values as "wrongValues", t.submitted_at as "submittedAt", t.deadline_at as "deadlineAt", t.created_at as "createdAt"
    from rail_callbacks c
    left join transactions t on t.slot = c.slot and t.id = c.transaction_id and t.kind = 'charge'
    where c.handled_at is null and c.direction = 'charge'
    order by c.received_at limit $1

-- 18
update accounts set webhook_url = $1, webhook_failing_since = null,
          webhook_paused_at = null
        where merchant_id = $2 and environment = $3 returning id

-- 19
update webhooks set due_at = now()
    where slot = (select slot from accounts where id = $1) and account_id = $2
      and status = 'CREATED' and due_at is null and created_at > now() - interval '1 day'

-- 20
insert into audit_log (id, actor, action, subject, detail)
    values ($1, $2, $3, $4,
      $5)

-- 21
select pg_notify($1, $2)

-- 22
insert into beneficiaries ("slot", "id", "account_id", "type", "country", "currency", "destination", "code", "account_name", "account_number", "branch_code", "business_number", "created_at", "updated_at") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict do nothing
    returning id

-- 23
select id, type, country, currency,
  destination, account_name as "accountName", account_number as "accountNumber", code,
  branch_code as "branchCode", business_number as "businessNumber", created_at as "createdAt" from beneficiaries
    where slot = $1 and account_id = $2 and deleted_at is null
      
    order by id desc
    limit $3

-- 24
select id, type, country, currency,
  destination, account_name as "accountName", account_number as "accountNumber", code,
  branch_code as "branchCode", business_number as "businessNumber", created_at as "createdAt" from beneficiaries
    where slot = $1 and id = $2 and account_id = $3
      and deleted_at is null

-- 25
select id, type, country, currency,
  destination, account_name as "accountName", account_number as "accountNumber", code,
  branch_code as "branchCode", business_number as "businessNumber", created_at as "createdAt" from beneficiaries
    where slot = $1 and id = $2 and account_id = $3
      and deleted_at is null
    for update

-- 26
update beneficiaries set country = $1, currency = $2,
      destination = $3, account_name = $4,
      account_number = $5, code = $6,
      branch_code = $7, business_number = $8,
      updated_at = $9
    where slot = $10 and id = $11 and account_id = $12

-- 27
select id from wallets
      where slot = $1 and account_id = $2
        and currency = $3 and country = $4

-- 28
with leg as materialized (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::environment[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[]) with ordinality as leg(slot, transaction_id, step, environment, debit, credit, amount, currency, wallet_id, n)),
    wallet as materialized (
    select slot, id, available, held, seq from wallets
    where slot = any($10::smallint[]) and id = any($11::uuid[])
    order by slot, id for no key update),
    known as materialized (select null::uuid as transaction_id where false),
    
    candidate as materialized (
      select leg.*,
        amount * ((credit = $12)::int - (debit = $13)::int) as available_change,
        amount * ((credit = $14)::int - (debit = $15)::int) as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where available_after < 0 or held_after < 0
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    ),
    recorded as (
    insert into transactions (status, updated_at, slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits)
    select 'pending', asked.created_at,
      asked.slot, asked.id, asked.account_id, asked.external_reference, asked.idempotency_key, asked.environment, asked.kind, asked.state, asked.request_hash, asked.method, asked.destination, asked.country, asked.currency, asked.amount, asked.wallet_id, asked.wallet_currency, asked.wallet_amount, asked.fee, asked.exchange_rate, asked.beneficiary_id, asked.account_name, asked.account_number, asked.code, asked.branch_code, asked.business_number, asked.rail, asked.created_at, asked.due_at, asked.deadline_at, asked.details, asked.submits
    from (select * from unnest($16::smallint[], $17::uuid[], $18::uuid[], $19::text[], $20::text[], $21::environment[], $22::text[], $23::text[], $24::bytea[], $25::text[], $26::text[], $27::text[], $28::text[], $29::bigint[], $30::uuid[], $31::text[], $32::bigint[], $33::bigint[], $34::numeric[], $35::uuid[], $36::text[], $37::text[], $38::text[], $39::text[], $40::text[], $41::text[], $42::timestamptz[], $43::timestamptz[], $44::timestamptz[], $45::jsonb[], $46::smallint[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits, n)) asked
    join wanted on wanted.transaction_id = asked.id
    order by asked.n
    on conflict do nothing
    returning id as transaction_id, slot, account_id, sequence),
    
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )
    
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $47::timestamptz, $48::timestamptz
      from (select * from unnest($49::uuid[], $50::uuid[], $51::text[], $52::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)

-- 29
insert into sandbox_rail_book (rail, key, direction, account_number, amount, currency,
      behaviour, stage, taken_at, callback_due_at, callbacks_left)
    select rail, key, direction, account_number, amount, currency, behaviour, stage,
      to_timestamp(taken_ms / 1000),
      case when callbacks > 0 then to_timestamp(due_ms / 1000) end, callbacks
    from (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::float8[], $10::float8[], $11::smallint[]) with ordinality as entry(rail, key, direction, account_number, amount, currency, behaviour, stage, taken_ms, due_ms, callbacks, n)) entry
    on conflict (rail, key) do update set arrivals = sandbox_rail_book.arrivals + 1
    returning 
  rail, key, direction, account_number as "accountNumber", amount, currency, behaviour, arrivals,
  (extract(epoch from taken_at) * 1000)::float8 as "takenAtMs", stage, refused,
  (extract(epoch from confirmed_at) * 1000)::float8 as "confirmedAtMs"

-- 30
with attempted as (
    insert into rail_attempts (slot, id, transaction_id, rail, action, outcome, said, duration_ms, at)
    select slot, id, transaction_id, rail, action, outcome, said, duration_ms, at from (select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::timestamptz[]) with ordinality as attempted(slot, id, transaction_id, rail, action, outcome, said, duration_ms, at, n)) attempted
    on conflict do nothing)
    update transactions t set state = s.to_state, due_at = s.due_at, leased_until = null,
      rail = s.rail, rail_turn = s.rail_turn, submits = s.submits, lookups = s.lookups,
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      updated_at = s.at
    from (select * from unnest($10::smallint[], $11::uuid[], $12::text[], $13::timestamptz[], $14::text[], $15::timestamptz[], $16::text[], $17::smallint[], $18::smallint[], $19::smallint[], $20::text[], $21::timestamptz[]) with ordinality as s(slot, id, from_state, sent_at, to_state, due_at, rail, rail_turn, submits, lookups, provider_reference, at, n)) s
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
      and date_trunc('milliseconds', t.submitted_at) is not distinct from s.sent_at
    returning t.id

-- 31
select asked.id as asked, t.id as found, t.idempotency_key as key, t.request_hash as hash
    from (select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, n)) asked
    join transactions t on t.slot = asked.slot and t.account_id = asked.account_id
      and (t.external_reference = asked.external_reference
        or t.idempotency_key = asked.idempotency_key)

-- 32
select id, amount, currency, idempotency_key as key, request_hash as hash from transactions
    where slot = $1 and account_id = $2
      and (external_reference = $3 or idempotency_key = $4::text)

-- 33
with recursive found as (
      (select account_id, due_at from webhooks where due_at is not null
        order by account_id, due_at limit 1)
      union all
      select next.account_id, next.due_at from found cross join lateral (
        select w.account_id, w.due_at from webhooks w
        where w.due_at is not null and w.account_id > found.account_id
        order by w.account_id, w.due_at limit 1
      ) next
    )
    select account_id as "accountId" from found
    where due_at <= $1::timestamptz
    limit $2

-- 34
select id as "accountId", environment, webhook_url as url,
        webhook_failing_since as "failingSince", webhook_paused_at as "pausedAt"
      from accounts where id = any($1::uuid[])

-- 35
select account_id as "accountId", secret_sealed as sealed, expires_at as "expiresAt"
      from webhook_secrets
      where account_id = any($1::uuid[])
        and (expires_at is null or expires_at > $2::timestamptz)
      order by created_at desc, id desc

-- 36
update webhooks w set leased_until = $1::timestamptz
    from (
      select due.slot, due.id from (select * from unnest($2::uuid[], $3::int[]) with ordinality as wanted(account_id, room, n)) wanted
      cross join lateral (
        select d.slot, d.id from webhooks d
        where d.account_id = wanted.account_id and d.due_at <= $4::timestamptz
          and (d.leased_until is null or d.leased_until <= $5::timestamptz)
        order by d.due_at, d.id limit wanted.room
        for update skip locked
      ) due
      limit 512
    ) due
    where w.slot = due.slot and w.id = due.id
    returning w.slot, w.id, w.account_id as "accountId", w.transaction_id as "transactionId",
      w.sequence, w.attempts, w.at_once as "atOnce", 
  '{"event":"' || w.event || '","data":'
    || (w.data || jsonb_build_object('sequence', w.sequence))::text
    || ',"timestamp":"'
    || to_char(w.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '"}' as body,
      w.sequence > 1 and not w.at_once and exists (
        select from webhooks e
        where e.slot = w.slot and e.transaction_id = w.transaction_id
          and e.sequence < w.sequence and e.status = 'CREATED' and e.due_at is not null and not e.at_once
      ) as "isBlocked"

-- 37
with result as materialized (
      select *, to_timestamp(lease_ms / 1000) as lease, to_timestamp(due_ms / 1000) as due_at,
        to_timestamp(at_ms / 1000) as at
      from (select * from unnest($1::smallint[], $2::uuid[], $3::float8[], $4::smallint[], $5::uuid[], $6::text[], $7::text[], $8::float8[], $9::float8[], $10::int[], $11::text[], $12::text[]) with ordinality as given(slot, webhook_id, lease_ms, attempts, attempt_id, url, new_status, due_ms, at_ms, duration_ms, status, answer, n)) given
    )
    , attempted as (
      insert into webhook_attempts (slot, webhook_id, id, at, duration_ms, status, answer)
      select r.slot, r.webhook_id, r.attempt_id, r.at, r.duration_ms, r.status, r.answer
      from result r
      on conflict do nothing
    )
    , done as (
      update webhooks w set status = r.new_status, due_at = r.due_at, leased_until = null,
        attempts = r.attempts, webhook_url = r.url, response_status = r.status,
        response_body = r.answer, at_once = w.at_once and r.new_status = 'CREATED'
      from result r
      where w.slot = r.slot and w.id = r.webhook_id and w.leased_until = r.lease
      returning w.slot, w.id, w.transaction_id, w.sequence, w.status, r.at
    )
    , freed as (
      update webhooks w set due_at = least(w.due_at, done.at)
      from done
      where done.status <> 'CREATED' and w.slot = done.slot
        and w.transaction_id = done.transaction_id and w.sequence > done.sequence
        and w.status = 'CREATED' and w.leased_until is null and w.due_at is not null
        and w.id not in (select webhook_id from result)
    )
    select id from done

-- 38
update accounts set webhook_failing_since = $1::timestamptz
      where id = $2 and webhook_failing_since is null

-- 39
insert into rail_callbacks (slot, id, rail, transaction_id, direction, arrival_id, account_number, outcome, said, provider_reference, amount, currency, received_at)
    select slot, id, rail, transaction_id, direction, arrival_id, account_number, outcome, said, provider_reference, amount, currency, received_at from (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[], $13::timestamptz[]) with ordinality as c(slot, id, rail, transaction_id, direction, arrival_id, account_number, outcome, said, provider_reference, amount, currency, received_at, n)) c
    on conflict do nothing

-- 40
with leg as materialized (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::environment[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[]) with ordinality as leg(slot, transaction_id, step, environment, debit, credit, amount, currency, wallet_id, n)),
    wallet as materialized (
    select slot, id, available, held, seq from wallets
    where slot = any($10::smallint[]) and id = any($11::uuid[])
    order by slot, id for no key update),
    known as materialized (select null::uuid as transaction_id where false),
    
    candidate as materialized (
      select leg.*,
        amount * ((credit = $12)::int - (debit = $13)::int) as available_change,
        amount * ((credit = $14)::int - (debit = $15)::int) as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where available_after < 0 or held_after < 0
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    ),
    recorded as (
    update transactions t set state = s.to_state,
      status = case s.to_state when 'succeeded' then 'successful' else 'failed' end,
      failure_reason = s.failure_reason,
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      sequence = t.sequence + 1, due_at = null, leased_until = null, updated_at = s.at
    from (select * from unnest($16::smallint[], $17::uuid[], $18::text[], $19::timestamptz[], $20::text[], $21::text[], $22::text[], $23::uuid[], $24::timestamptz[]) with ordinality as s(slot, id, from_state, sent_at, to_state, failure_reason, provider_reference, callback_id, at, n)) s join wanted on wanted.transaction_id = s.id
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
      and date_trunc('milliseconds', t.submitted_at) is not distinct from s.sent_at
    returning t.id as transaction_id, t.slot, t.account_id, t.sequence),
    
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )
    
          
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $25::timestamptz, $26::timestamptz
      from (select * from unnest($27::uuid[], $28::uuid[], $29::text[], $30::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
          , attempted as (
    insert into rail_attempts (slot, id, transaction_id, rail, action, outcome, said, duration_ms, at)
    select slot, id, transaction_id, rail, action, outcome, said, duration_ms, at from (select * from unnest($31::smallint[], $32::uuid[], $33::uuid[], $34::text[], $35::text[], $36::text[], $37::text[], $38::int[], $39::timestamptz[]) with ordinality as attempted(slot, id, transaction_id, rail, action, outcome, said, duration_ms, at, n)) attempted
    on conflict do nothing)
          , handled as (
            update rail_callbacks c set handled_at = s.at, finding = 'applied'
            from (select * from unnest($40::smallint[], $41::uuid[], $42::text[], $43::timestamptz[], $44::text[], $45::text[], $46::text[], $47::uuid[], $48::timestamptz[]) with ordinality as s(slot, id, from_state, sent_at, to_state, failure_reason, provider_reference, callback_id, at, n)) s join recorded r on r.transaction_id = s.id
            where c.slot = s.slot and c.id = s.callback_id
          )
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)

-- 41
update rail_callbacks c set handled_at = $1, finding = h.finding
    from (select * from unnest($2::smallint[], $3::uuid[], $4::text[]) with ordinality as h(slot, id, finding, n)) h
    where c.slot = h.slot and c.id = h.id and c.handled_at is null

-- 42
with leg as materialized (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::environment[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[]) with ordinality as leg(slot, transaction_id, step, environment, debit, credit, amount, currency, wallet_id, n)),
    wallet as materialized (
    select slot, id, available, held, seq from wallets
    where slot = any($10::smallint[]) and id = any($11::uuid[])
    order by slot, id for no key update),
    known as materialized (
    select asked.id as transaction_id from (select * from unnest($12::smallint[], $13::uuid[], $14::uuid[], $15::text[], $16::text[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, n)) asked
    where exists (
      select from transactions t
      where t.slot = asked.slot and t.account_id = asked.account_id
        and t.external_reference = asked.external_reference
    )
    ),
    
    candidate as materialized (
      select leg.*,
        amount * ((credit = $17)::int - (debit = $18)::int) as available_change,
        amount * ((credit = $19)::int - (debit = $20)::int) as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where available_after < 0 or held_after < 0
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    ),
    recorded as (
    insert into transactions (status, updated_at, slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits)
    select 'pending', asked.created_at,
      asked.slot, asked.id, asked.account_id, asked.external_reference, asked.idempotency_key, asked.environment, asked.kind, asked.state, asked.request_hash, asked.method, asked.destination, asked.country, asked.currency, asked.amount, asked.wallet_id, asked.wallet_currency, asked.wallet_amount, asked.fee, asked.exchange_rate, asked.beneficiary_id, asked.account_name, asked.account_number, asked.code, asked.branch_code, asked.business_number, asked.rail, asked.created_at, asked.due_at, asked.deadline_at, asked.details, asked.submits
    from (select * from unnest($21::smallint[], $22::uuid[], $23::uuid[], $24::text[], $25::text[], $26::environment[], $27::text[], $28::text[], $29::bytea[], $30::text[], $31::text[], $32::text[], $33::text[], $34::bigint[], $35::uuid[], $36::text[], $37::bigint[], $38::bigint[], $39::numeric[], $40::uuid[], $41::text[], $42::text[], $43::text[], $44::text[], $45::text[], $46::text[], $47::timestamptz[], $48::timestamptz[], $49::timestamptz[], $50::jsonb[], $51::smallint[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits, n)) asked
    join wanted on wanted.transaction_id = asked.id
    order by asked.n
    on conflict do nothing
    returning id as transaction_id, slot, account_id, sequence),
    
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )
    
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $52::timestamptz, $53::timestamptz
      from (select * from unnest($54::uuid[], $55::uuid[], $56::text[], $57::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)

-- 43
update webhooks w set leased_until = null,
      due_at = case when w.at_once then $1::timestamptz else coalesce((
        select max(e.due_at) from webhooks e
        where e.slot = w.slot and e.transaction_id = w.transaction_id
          and e.sequence < w.sequence and e.status = 'CREATED' and e.due_at is not null and not e.at_once
      ), $2::timestamptz) end
    from (select * from unnest($3::smallint[], $4::uuid[], $5::timestamptz[]) with ordinality as held(slot, id, lease, n)) held
    where w.slot = held.slot and w.id = held.id and w.leased_until = held.lease
      and w.due_at is not null

-- 44
with known as materialized (
    select asked.id as transaction_id from (select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, n)) asked
    where exists (
      select from transactions t
      where t.slot = asked.slot and t.account_id = asked.account_id
        and t.external_reference = asked.external_reference
    )
    ),
    wanted as materialized (
      select id as transaction_id from unnest($6::uuid[]) as asked(id)
      where id not in (select transaction_id from known)
    ),
    recorded as (
    insert into transactions (status, updated_at, slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits)
    select 'pending', asked.created_at,
      asked.slot, asked.id, asked.account_id, asked.external_reference, asked.idempotency_key, asked.environment, asked.kind, asked.state, asked.request_hash, asked.method, asked.destination, asked.country, asked.currency, asked.amount, asked.wallet_id, asked.wallet_currency, asked.wallet_amount, asked.fee, asked.exchange_rate, asked.beneficiary_id, asked.account_name, asked.account_number, asked.code, asked.branch_code, asked.business_number, asked.rail, asked.created_at, asked.due_at, asked.deadline_at, asked.details, asked.submits
    from (select * from unnest($7::smallint[], $8::uuid[], $9::uuid[], $10::text[], $11::text[], $12::environment[], $13::text[], $14::text[], $15::bytea[], $16::text[], $17::text[], $18::text[], $19::text[], $20::bigint[], $21::uuid[], $22::text[], $23::bigint[], $24::bigint[], $25::numeric[], $26::uuid[], $27::text[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[], $33::timestamptz[], $34::timestamptz[], $35::timestamptz[], $36::jsonb[], $37::smallint[]) with ordinality as asked(slot, id, account_id, external_reference, idempotency_key, environment, kind, state, request_hash, method, destination, country, currency, amount, wallet_id, wallet_currency, wallet_amount, fee, exchange_rate, beneficiary_id, account_name, account_number, code, branch_code, business_number, rail, created_at, due_at, deadline_at, details, submits, n)) asked
    join wanted on wanted.transaction_id = asked.id
    order by asked.n
    on conflict do nothing
    returning id as transaction_id, slot, account_id, sequence)
    
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $38::timestamptz, $39::timestamptz
      from (select * from unnest($40::uuid[], $41::uuid[], $42::text[], $43::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
    select transaction_id as id from recorded

-- 45
with attempted as (
    insert into rail_attempts (slot, id, transaction_id, rail, action, outcome, said, duration_ms, at)
    select slot, id, transaction_id, rail, action, outcome, said, duration_ms, at from (select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::timestamptz[]) with ordinality as attempted(slot, id, transaction_id, rail, action, outcome, said, duration_ms, at, n)) attempted
    on conflict do nothing),
    recorded as (
      update transactions t set state = s.to_state, due_at = s.due_at, leased_until = null,
        submits = s.submits, lookups = s.lookups,
        provider_reference = coalesce(s.provider_reference, t.provider_reference),
        step_required = s.step_required, redirect_url = s.redirect_url,
        wrong_values = s.wrong_values, sequence = t.sequence + s.tells::int, updated_at = s.at
      from (select * from unnest($10::smallint[], $11::uuid[], $12::text[], $13::text[], $14::timestamptz[], $15::smallint[], $16::smallint[], $17::text[], $18::text[], $19::text[], $20::smallint[], $21::smallint[], $22::boolean[], $23::timestamptz[]) with ordinality as s(slot, id, from_state, to_state, due_at, submits, lookups, provider_reference, step_required, redirect_url, wrong_before, wrong_values, tells, at, n)) s
      where t.slot = s.slot and t.id = s.id and t.state = s.from_state
        and t.wrong_values = s.wrong_before
      returning t.id as transaction_id, t.slot, t.account_id, t.sequence
    )
    
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $24::timestamptz, $25::timestamptz
      from (select * from unnest($26::uuid[], $27::uuid[], $28::text[], $29::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
    select transaction_id as id from recorded

-- 46
select 
  rail, key, direction, account_number as "accountNumber", amount, currency, behaviour, arrivals,
  (extract(epoch from taken_at) * 1000)::float8 as "takenAtMs", stage, refused,
  (extract(epoch from confirmed_at) * 1000)::float8 as "confirmedAtMs" from sandbox_rail_book where rail = $1 and key = $2

-- 47
with leg as materialized (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::environment[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[]) with ordinality as leg(slot, transaction_id, step, environment, debit, credit, amount, currency, wallet_id, n)),
    wallet as materialized (
    select slot, id, available, held, seq from wallets
    where slot = any($10::smallint[]) and id = any($11::uuid[])
    order by slot, id for no key update),
    known as materialized (select null::uuid as transaction_id where false),
    
    candidate as materialized (
      select leg.*,
        amount * ((credit = $12)::int - (debit = $13)::int) as available_change,
        amount * ((credit = $14)::int - (debit = $15)::int) as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where available_after < 0 or held_after < 0
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    ),
    recorded as (
    update transactions t set state = s.to_state,
      status = case s.to_state when 'succeeded' then 'successful' else 'failed' end,
      wallet_amount = s.wallet_amount, fee = s.fee, exchange_rate = s.exchange_rate,
      failure_reason = s.failure_reason, step_required = null, redirect_url = null,
      wrong_values = greatest(t.wrong_values, s.wrong_values),
      provider_reference = coalesce(s.provider_reference, t.provider_reference),
      sequence = t.sequence + 1, due_at = null, leased_until = null, updated_at = s.at
    from (select * from unnest($16::smallint[], $17::uuid[], $18::text[], $19::text[], $20::bigint[], $21::bigint[], $22::numeric[], $23::text[], $24::text[], $25::smallint[], $26::smallint[], $27::uuid[], $28::timestamptz[]) with ordinality as s(slot, id, from_state, to_state, wallet_amount, fee, exchange_rate, failure_reason, provider_reference, wrong_values, callback_slot, callback_id, at, n)) s
    join wanted on wanted.transaction_id = s.id
    where t.slot = s.slot and t.id = s.id and t.state = s.from_state
    returning t.id as transaction_id, t.slot, t.account_id, t.sequence),
    
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )
    
    
    , told as (
      insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      select r.slot, e.id, r.account_id, e.transaction_id, r.sequence, e.event, e.data,
        $29::timestamptz, $30::timestamptz
      from (select * from unnest($31::uuid[], $32::uuid[], $33::text[], $34::jsonb[]) with ordinality as e(id, transaction_id, event, data, n)) e
      join recorded r on r.transaction_id = e.transaction_id
    )
    , attempted as (
    insert into rail_attempts (slot, id, transaction_id, rail, action, outcome, said, duration_ms, at)
    select slot, id, transaction_id, rail, action, outcome, said, duration_ms, at from (select * from unnest($35::smallint[], $36::uuid[], $37::uuid[], $38::text[], $39::text[], $40::text[], $41::text[], $42::int[], $43::timestamptz[]) with ordinality as attempted(slot, id, transaction_id, rail, action, outcome, said, duration_ms, at, n)) attempted
    on conflict do nothing)
    , handled as (
      update rail_callbacks c set handled_at = s.at, finding = 'applied'
      from (select * from unnest($44::smallint[], $45::uuid[], $46::text[], $47::text[], $48::bigint[], $49::bigint[], $50::numeric[], $51::text[], $52::text[], $53::smallint[], $54::smallint[], $55::uuid[], $56::timestamptz[]) with ordinality as s(slot, id, from_state, to_state, wallet_amount, fee, exchange_rate, failure_reason, provider_reference, wrong_values, callback_slot, callback_id, at, n)) s
      join recorded r on r.transaction_id = s.id
      where c.slot = s.callback_slot and c.id = s.callback_id
    )
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)

-- 48
select t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.exchange_rate as "exchangeRate", t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.submits, t.lookups, t.details, t.account_number as "accountNumber", t.provider_reference as "providerReference", t.step_required as "stepRequired", t.redirect_url as "redirectUrl", t.wrong_values as "wrongValues", t.submitted_at as "submittedAt", t.deadline_at as "deadlineAt", t.created_at as "createdAt" from transactions t
    where t.slot = $1 and t.id = $2 and t.kind = 'charge'

-- 49
update sandbox_rail_book set stage = $1, refused = $2,
          confirmed_at = to_timestamp($3::float8 / 1000),
          callback_due_at = to_timestamp($4::float8 / 1000),
          callbacks_left = $5
        where rail = $6 and key = $7 and stage is not distinct from $8

-- 50
with opened as (
      insert into virtual_accounts (slot, transaction_id, rail, account_number, bank_name, note,
        created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7,
        $8)
      on conflict (slot, transaction_id) do nothing
    )
    update transactions set account_number = $9
    where slot = $10 and id = $11

-- 51
select t.currency from virtual_accounts v
      join transactions t on t.slot = v.slot and t.id = v.transaction_id
      where v.slot = $1 and t.account_id = $2
        and v.account_number = $3

-- 52
select t.slot, t.id, t.account_id as "accountId", t.environment, t.state, t.method, t.destination, t.external_reference as "externalReference", t.country, t.currency, t.amount, t.fee, t.exchange_rate as "exchangeRate", t.wallet_id as "walletId", t.wallet_currency as "walletCurrency", t.code, t.rail, t.wallet_amount as "walletAmount", t.submits, t.lookups, t.details, t.account_number as "accountNumber", t.provider_reference as "providerReference", t.step_required as "stepRequired", t.redirect_url as "redirectUrl", t.wrong_values as "wrongValues", t.submitted_at as "submittedAt", t.deadline_at as "deadlineAt", t.created_at as "createdAt", v.expires_at as "expiresAt"
    from virtual_accounts v
    join transactions t on t.slot = v.slot and t.id = v.transaction_id
    where v.rail = $1 and v.account_number = $2

-- 53
insert into arrivals (slot, id, rail, key, account_number, amount, currency, transaction_id,
      finding, arrived_at)
    values ($1, $2, $3, $4,
      $5, $6, $7, $8,
      $9, $10)
    on conflict do nothing

-- 54
select id from arrivals where rail = $1 and key = $2

-- 55
with leg as materialized (select * from unnest($1::smallint[], $2::uuid[], $3::text[], $4::environment[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[]) with ordinality as leg(slot, transaction_id, step, environment, debit, credit, amount, currency, wallet_id, n)),
    wallet as materialized (
    select slot, id, available, held, seq from wallets
    where slot = any($10::smallint[]) and id = any($11::uuid[])
    order by slot, id for no key update),
    known as materialized (
      select id as transaction_id from suspense_items where slot = $12 and id = $13
      union
      select id from rail_callbacks
      where slot = $14 and id = $15 and finding = 'applied'),
    
    candidate as materialized (
      select leg.*,
        amount * ((credit = $16)::int - (debit = $17)::int) as available_change,
        amount * ((credit = $18)::int - (debit = $19)::int) as held_change
      from leg
      where not exists (select from known where known.transaction_id = leg.transaction_id)
    ),
    trial as materialized (
      select c.transaction_id, c.wallet_id,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    short_wallet as materialized (
      select distinct wallet_id from trial
      where available_after < 0 or held_after < 0
    ),
    short as materialized (
      select distinct transaction_id from trial
      where wallet_id in (select wallet_id from short_wallet)
    ),
    wanted as materialized (
      select distinct slot, transaction_id from candidate
      where transaction_id not in (select transaction_id from short)
    ),
    recorded as (
      insert into suspense_items (slot, id, environment, rail, currency, amount, story,
        transaction_id, account_id, created_at)
      select $20, transaction_id, $21, $22, $23, $24, $25,
        $26, $27, $28
      from wanted
      returning id as transaction_id),
    
    applied as materialized (
      select c.*,
        w.seq + row_number() over running as wallet_seq,
        w.available + sum(c.available_change) over running as available_after,
        w.held + sum(c.held_change) over running as held_after
      from candidate c
      join recorded r on r.transaction_id = c.transaction_id
      left join wallet w on w.slot = c.slot and w.id = c.wallet_id
      window running as (partition by c.slot, c.wallet_id order by c.n)
    ),
    posted as (
      insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, wallet_seq, available_after, held_after)
      select slot, transaction_id, step, environment, debit, credit, amount,
        currency, wallet_id, case when wallet_id is not null then wallet_seq end,
        available_after, held_after
      from applied
    ),
    moved as (
      -- From the balances as they were locked. Those this statement's snapshot sees may be older,
      -- and a check that fails on them would be a false alarm.
      update wallets w set available = s.available, held = s.held, seq = s.seq
      from (
        select l.slot, l.id, l.available + sum(a.available_change) as available,
          l.held + sum(a.held_change) as held, l.seq + count(*) as seq
        from applied a join wallet l on l.slot = a.slot and l.id = a.wallet_id
        group by l.slot, l.id, l.available, l.held, l.seq
      ) s
      where w.slot = s.slot and w.id = s.id
    )
    
    select 'recorded' as outcome, transaction_id as id, null::bigint as available,
      null::bigint as held from recorded
    union all select 'known', transaction_id, null, null from known
    union all select 'short', transaction_id, null, null from short
    union all select 'wallet', id, available, held from wallet
      where id in (select wallet_id from short_wallet)

-- 56
update arrivals set finding = $1
      where slot = $2 and id = $3

-- 57
select t.id, t.kind, t.status,
  t.external_reference as "externalReference", t.method, t.destination, t.country, t.currency,
  t.amount, t.wallet_currency as "walletCurrency", t.wallet_amount as "walletAmount", t.fee,
  t.exchange_rate as "exchangeRate", t.account_name as "accountName",
  t.account_number as "accountNumber", t.code, t.failure_reason as "failureReason",
  t.step_required as "stepRequired", t.redirect_url as "redirectUrl",
  t.provider_reference as "providerReference", t.updated_at as "updatedAt" from transactions t
    where t.slot = $1 and t.account_id = $2
      and t.external_reference = $3

-- 58
update transactions set sequence = sequence + 1
      where slot = $1 and id = $2 and environment = 'sandbox'
      returning account_id as "accountId", kind, external_reference as "externalReference",
        amount, currency, country, destination, sequence

-- 59
insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
        created_at)
      values ($1, $2, $3, $4, $5, 'transaction_updated',
        $6, $7, $8)

-- 60
select t.id, t.kind, t.status,
  t.external_reference as "externalReference", t.method, t.destination, t.country, t.currency,
  t.amount, t.wallet_currency as "walletCurrency", t.wallet_amount as "walletAmount", t.fee,
  t.exchange_rate as "exchangeRate", t.account_name as "accountName",
  t.account_number as "accountNumber", t.code, t.failure_reason as "failureReason",
  t.step_required as "stepRequired", t.redirect_url as "redirectUrl",
  t.provider_reference as "providerReference", t.updated_at as "updatedAt" from transactions t
    where (t.slot, t.account_id, t.id) >= ($1::smallint, $2::uuid, $3::uuid)
      and (t.slot, t.account_id, t.id) < ($4::smallint, $5::uuid, $6::uuid)
    order by t.slot desc, t.account_id desc, t.id desc
    limit 10

-- 61
with page as materialized (
      select found.id
      from unnest($1::text[]) as c(currency)
      cross join unnest($2::text[]) as k(kind)
      cross join unnest($3::text[]) as s(status)
      cross join lateral (
        select i.id from transactions i
        where i.slot = $4::smallint and i.account_id = $5::uuid
          and i.currency = c.currency and i.kind = k.kind and i.status = s.status
          and i.id >= $6::uuid and i.id < $7::uuid
        order by i.id desc
        limit 10
      ) found
      order by found.id desc
      limit 10
    )
    select t.id, t.kind, t.status,
  t.external_reference as "externalReference", t.method, t.destination, t.country, t.currency,
  t.amount, t.wallet_currency as "walletCurrency", t.wallet_amount as "walletAmount", t.fee,
  t.exchange_rate as "exchangeRate", t.account_name as "accountName",
  t.account_number as "accountNumber", t.code, t.failure_reason as "failureReason",
  t.step_required as "stepRequired", t.redirect_url as "redirectUrl",
  t.provider_reference as "providerReference", t.updated_at as "updatedAt"
    from page join transactions t on t.slot = $8 and t.id = page.id
    order by t.id desc

-- 62
select t.id, t.kind, t.status,
  t.external_reference as "externalReference", t.method, t.destination, t.country, t.currency,
  t.amount, t.wallet_currency as "walletCurrency", t.wallet_amount as "walletAmount", t.fee,
  t.exchange_rate as "exchangeRate", t.account_name as "accountName",
  t.account_number as "accountNumber", t.code, t.failure_reason as "failureReason",
  t.step_required as "stepRequired", t.redirect_url as "redirectUrl",
  t.provider_reference as "providerReference", t.updated_at as "updatedAt" from transactions t
    where t.slot = $1 and t.id = $2 and t.account_id = $3

-- 63
select w.id, w.created_at as "createdAt", w.event, w.data,
  w.sequence, w.status, w.webhook_url as "webhookUrl", w.response_status as "responseStatus",
  w.response_body as "responseBody" from webhooks w
    where (w.slot, w.account_id, w.id) >= ($1::smallint, $2::uuid, $3::uuid)
      and (w.slot, w.account_id, w.id) < ($4::smallint, $5::uuid, $6::uuid)
    order by w.slot desc, w.account_id desc, w.id desc
    limit 200

-- 64
select w.id, w.created_at as "createdAt", w.event, w.data,
  w.sequence, w.status, w.webhook_url as "webhookUrl", w.response_status as "responseStatus",
  w.response_body as "responseBody" from webhooks w
    where w.slot = $1 and w.id = $2 and w.account_id = $3

-- 65
select a.webhook_url as "webhookUrl", a.webhook_paused_at as "pausedAt"
      from webhooks w join accounts a on a.id = w.account_id
      where w.slot = $1 and w.id = $2 and w.account_id = $3

-- 66
update webhooks set status = 'CREATED', due_at = $1, attempts = 0,
        leased_until = null, at_once = true
      where slot = $2 and id = $3

-- 67
(select t.id from transactions t
          where t.slot = $1 and t.id = $2::uuid and t.account_id = $3)
        union all
        (select t.id from transactions t
          where t.slot = $4 and t.account_id = $5
            and t.external_reference = $6::text)
        limit 1

-- 68
select w.id, w.created_at as "createdAt", w.event, w.data,
  w.sequence, w.status, w.webhook_url as "webhookUrl", w.response_status as "responseStatus",
  w.response_body as "responseBody" from webhooks w
      where w.slot = $1 and w.transaction_id = $2
        and w.account_id = $3 and w.id >= $4::uuid and w.id < $5::uuid
        and ($6::text is null or w.status = $7)
      order by w.id desc limit 200

-- 69
update beneficiaries set deleted_at = $1, updated_at = $2
          where slot = $3 and id = $4 and account_id = $5
            and deleted_at is null
          returning id

-- 70
select id from accounts where id = $1 for update

-- 71
select now() + $1 * interval '1 second' as at

-- 72
update webhook_secrets set expires_at = case when id = (
          select id from webhook_secrets where account_id = $1
          order by created_at desc, id desc limit 1
        ) then least(expires_at, $2::timestamptz) else least(expires_at, now()) end
      where account_id = $3

-- 73
insert into webhook_secrets (id, account_id, secret_sealed)
    values ($1, $2,
      $3)
