import { and, desc, eq, getTableColumns, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import { byBuyer } from '#server/orders/search-orders.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { byCursor, formatCursor } from '#server/platform/db/page-cursor.ts'
import { byPrefix, cleanQuery, listPhonePrefixes, toNamePrefix } from '#server/platform/db/prefix-search.ts'
import { customerBlocks, orders, toPhoneDigits, users } from '#server/platform/db/schema.ts'

const PAGE_ROWS = 20

const { id, name, email, phone, lastOrderAtMs } = getTableColumns(users)
const listedColumns = { ...{ id, name, email, phone, lastOrderAtMs }, blockedAtMs: customerBlocks.atMs }

export type ListedCustomer = Pick<
  typeof users.$inferSelect,
  'id' | 'name' | 'email' | 'phone' | 'lastOrderAtMs'
> & { isBlocked: boolean }

type CustomerPage = { customers: ListedCustomer[]; next: string | null }

/** Lists the customers with the latest orders first. `before` is the `next` of the previous page. */
export async function listCustomers(
  { before }: { before?: string | undefined },
  { db }: OwnerContext,
): Promise<CustomerPage> {
  const rows = await db
    .select(listedColumns)
    .from(users)
    .leftJoin(customerBlocks, eq(customerBlocks.userId, users.id))
    .where(
      and(
        isNotNull(users.lastOrderAtMs),
        ne(users.id, DELETED_USER_ID),
        byCursor({ atMs: users.lastOrderAtMs, id: users.id }, before),
      ),
    )
    .orderBy(desc(users.lastOrderAtMs), desc(users.id))
    .limit(PAGE_ROWS + 1)
  const customers = rows.slice(0, PAGE_ROWS).map(toListedCustomer)
  const last = rows.length > PAGE_ROWS ? customers.at(-1) : undefined
  return { customers, next: last ? formatCursor(last.lastOrderAtMs ?? 0, last.id) : null }
}

export async function searchCustomers(
  { text }: { text: string },
  { db }: OwnerContext,
): Promise<ListedCustomer[]> {
  const query = cleanQuery(text)
  if (!query) return []
  const accountName = toNamePrefix(query)
  const byAccount: SQL[] = [
    ...listPhonePrefixes(query).map((digits) => byPrefix(toPhoneDigits(users.phone), digits)),
    ...(accountName === undefined
      ? []
      : [byPrefix(users.email, accountName), byPrefix(sql`lower(${users.name})`, accountName)]),
  ]
  const byOrder = byBuyer(query).map((condition) =>
    inArray(users.id, db.select({ id: orders.userId }).from(orders).where(condition).limit(PAGE_ROWS)),
  )
  const [first, ...others] = [...byAccount, ...byOrder, eq(users.id, query)].map((condition) =>
    db
      .select(listedColumns)
      .from(users)
      .leftJoin(customerBlocks, eq(customerBlocks.userId, users.id))
      .where(and(condition, ne(users.id, DELETED_USER_ID)))
      .limit(PAGE_ROWS),
  )
  const results = first ? await db.batch([first, ...others]) : []
  const unique = new Map(results.flat().map((row) => [row.id, toListedCustomer(row)]))
  return [...unique.values()]
    .toSorted((a, b) => (b.lastOrderAtMs ?? 0) - (a.lastOrderAtMs ?? 0))
    .slice(0, PAGE_ROWS)
}

type ListedRow = Omit<ListedCustomer, 'isBlocked'> & { blockedAtMs: number | null }

function toListedCustomer({ blockedAtMs, ...row }: ListedRow): ListedCustomer {
  return { ...row, isBlocked: blockedAtMs !== null }
}
