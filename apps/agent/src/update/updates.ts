import type { AgentManifest, UpdateReport } from '@muster/contract/agent/updates'
import type { z } from 'zod'
import { AgentError } from '../errors.ts'
import type { Server } from '../link/server-trust.ts'
import type { Log } from '../log/log.ts'
import type { Outbox } from '../state/outbox.ts'
import { confirmTrial, readCurrent, removeOtherVersions, writeCurrent } from './program-folder.ts'

interface Options {
  /** Undefined if no launcher has started this agent. */
  folder: string | undefined
  agentVersion: string
  server: Server
  outbox: Outbox
  log: Log
  /** Stops the agent, which then starts as the new version. */
  restart: () => void
}

type Progress = Pick<z.infer<typeof UpdateReport>, 'version' | 'state'> & { reason?: string }

/** Installs new versions of the agent, and reports their progress. */
export class Updates implements Disposable {
  #options: Options
  #stop = new AbortController()
  #isBusy = false
  #isOnTrial: boolean

  constructor(options: Options) {
    this.#options = options
    const current = options.folder === undefined ? undefined : readCurrent(options.folder)
    this.#isOnTrial = current?.state === 'trial' && current.current.version === options.agentVersion
  }

  get canUpdate(): boolean {
    return this.#options.folder !== undefined
  }

  /** Reports an update that was given up before this start. Each is reported once. */
  start(): void {
    const { folder, log } = this.#options
    const current = folder === undefined ? undefined : readCurrent(folder)
    if (folder === undefined || current === undefined || current.failed === null) return
    const { version, reason } = current.failed
    log.info({ version, reason }, 'update rolled back')
    this.#report({ version, state: 'rolled-back', reason })
    writeCurrent(folder, { ...current, failed: null })
    removeOtherVersions(folder)
  }

  /** The server has acknowledged a report: what a version on trial has to prove. */
  onAcknowledged(): void {
    const { folder, agentVersion, log } = this.#options
    if (!this.#isOnTrial || folder === undefined) return
    this.#isOnTrial = false
    // First the report: an agent that is killed in between confirms again, and the server stores it once.
    this.#report({ version: agentVersion, state: 'confirmed' })
    confirmTrial(folder, agentVersion)
    removeOtherVersions(folder)
    log.info({ version: agentVersion }, 'update confirmed')
  }

  async install(manifest: AgentManifest): Promise<void> {
    const { folder, agentVersion, server, log, restart } = this.#options
    const { version } = manifest
    try {
      if (folder === undefined)
        throw new AgentError(
          'This agent was not installed by an installer that supports updates. Reinstall it.',
        )
      if (this.#isBusy) throw new AgentError('Another update is in progress.')
      this.#isBusy = true
      const { installUpdate, refuseUpdate } = await import('./install-update.ts')
      const target = { folder, agentVersion, server, signal: this.#stop.signal }
      refuseUpdate(manifest, target)
      this.#report({ version, state: 'downloading' })
      await installUpdate(manifest, target)
    } catch (cause) {
      this.#isBusy = false
      if (!(cause instanceof AgentError)) throw cause
      // The server sends the order again when the agent is back.
      if (this.#stop.signal.aborted) return
      log.warn({ version, reason: cause.message }, 'update failed')
      return this.#report({ version, state: 'failed', reason: cause.message })
    }
    log.info({ version }, 'update installed, agent restarts')
    this.#report({ version, state: 'installed' })
    restart()
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  #report({ version, state, reason }: Progress): void {
    this.#options.outbox.append({
      kind: 'update',
      version,
      state,
      at: new Date().toISOString(),
      reason: reason?.slice(0, 500) ?? null,
    })
  }
}
