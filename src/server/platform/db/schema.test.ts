import { is, sql } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../../../test/support/context.ts'
import * as schema from './schema.ts'

const { db } = testContext()
const configs = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map((table) => getTableConfig(table))

const MISMATCH_MESSAGE =
  'src/server/platform/db/schema.ts (actual) and migrations/ (expected) differ: change one, or add a migration'

describe('schema.ts and the migrations', () => {
  it('define the same tables', async () => {
    const rows = await db.all<{ name: string }>(
      sql`select name from sqlite_master where type = 'table' order by name`,
    )
    const migrated = rows.map(({ name }) => name).filter((name) => !/^(_cf_|sqlite_|d1_)/.test(name))
    expect(configs.map(({ name }) => name).sort(), MISMATCH_MESSAGE).toEqual(migrated)
  })

  it.each(configs)('define the same columns of $name', async ({ name, columns, primaryKeys }) => {
    const rows = await db.all<{ name: string; type: string; notnull: 0 | 1; pk: number }>(
      sql`select name, lower(type) as type, "notnull", pk from pragma_table_info(${name}) order by name`,
    )
    const migrated = rows.map(({ name, type, notnull, pk }) => ({
      name,
      type,
      isRequired: notnull === 1,
      isKey: pk > 0,
    }))
    const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name))
    const declared = columns
      .map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        isRequired: column.notNull,
        isKey: column.primary || keys.includes(column.name),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    expect(declared, MISMATCH_MESSAGE).toEqual(migrated)
  })

  it.each(configs)(
    'define the same indexes and checks of $name',
    async ({ name, columns, indexes, checks }) => {
      const migrated = await db.all<{ name: string; sql: string }>(
        sql`select name, sql from sqlite_master where tbl_name = ${name} and type in ('table', 'index') and sql is not null`,
      )
      const declared = [
        ...indexes.map(({ config }) => config.name),
        ...columns.flatMap(({ isUnique, uniqueName }) => (isUnique && uniqueName ? [uniqueName] : [])),
      ]
      const migratedIndexes = migrated.filter((object) => object.name !== name).map((index) => index.name)
      expect(declared.sort(), MISMATCH_MESSAGE).toEqual(migratedIndexes.sort())
      const table = migrated.find((object) => object.name === name)?.sql
      for (const check of checks) expect(table).toContain(check.name)
    },
  )
})
