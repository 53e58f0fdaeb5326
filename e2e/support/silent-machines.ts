import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestServer } from './start-server.ts'

/**
 * Restarts the server as if these machines had last been seen so many minutes ago, as no test can wait for that.
 * The only place here that knows a table; SQLite alone.
 */
export async function makeSilent(server: TestServer, minutesById: Record<string, number>): Promise<void> {
  await server.stop()
  {
    using database = new DatabaseSync(join(server.dataFolder, 'muster.db'))
    const change = database.prepare('update agents set last_seen = ?, link_lost_at = ? where agent_id = ?')
    for (const [agentId, minutes] of Object.entries(minutesById)) {
      const seen = new Date(Date.now() - minutes * 60_000).toISOString()
      if (change.run(seen, seen, agentId).changes !== 1) throw new Error(`there is no machine ${agentId}`)
    }
  }
  await server.start()
}
