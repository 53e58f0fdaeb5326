import { listScripts, type Script } from '@muster/contract/api/scripts'
import { type Context, printList } from './output.ts'
import type { Column } from './text.ts'

const COLUMNS: readonly Column<Script>[] = [
  ['ID', ({ id }) => String(id)],
  ['NAME', ({ name }) => name],
  ['SHELL', ({ shell }) => shell],
  ['CATEGORY', ({ category }) => category],
  ['PLATFORMS', ({ supported_platforms }) => supported_platforms.join(', ')],
  ['DESCRIPTION', ({ description }) => description],
]

export async function printScripts(context: Context, watchSeconds: number | undefined): Promise<void> {
  await printList(context, {
    read: () => context.client.call(listScripts, { query: {} }),
    columns: COLUMNS,
    empty: 'No scripts.',
    watchSeconds,
  })
}
