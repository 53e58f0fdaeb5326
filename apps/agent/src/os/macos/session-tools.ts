import { AgentError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import type { SessionTools } from '../os.ts'
import { runTool } from '../run-tool.ts'

const WALL_MS = 5000

/** `findUser`: the user at the screen. */
export const makeMacSessionTools = (findUser: () => Promise<string | null>): SessionTools => ({
  hasUsers: async () => (await findUser()) !== null,
  async signOut() {
    throw new AgentError('The agent cannot sign users out on macOS.')
  },
  async lock() {
    throw new AgentError('The agent cannot lock the screen on macOS.')
  },
  async announce(title, text) {
    if (findProgram('wall') === undefined) return
    const signal = AbortSignal.timeout(WALL_MS)
    await runTool('wall', [`${title}: ${text}`], { signal, timeoutMs: WALL_MS })
  },
})
