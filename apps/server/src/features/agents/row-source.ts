import type { Context } from '../../context.ts'
import type { RowSource } from '../../fleet/handlers.ts'
import { type AgentsRow, findAgentNames, findAgents, findAgentsAfter } from './queries.ts'
import { viewAgentRow } from './view.ts'

/** Reads the machines table for the rows that the fleet keeps in memory. */
export const agentRowSource: RowSource = {
  find: async (ctx, agentIds) => viewRows(ctx, await findAgents(ctx, agentIds)),
  findAfter: async (ctx, range) => viewRows(ctx, await findAgentsAfter(ctx, range)),
  findNames: findAgentNames,
}

function viewRows(ctx: Context, rows: readonly AgentsRow[]) {
  const now = ctx.now()
  return rows.map((row) => ({ id: row.id, row: viewAgentRow(row, now) }))
}
