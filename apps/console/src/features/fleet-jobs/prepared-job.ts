import { createStore } from '../../app/session/store.ts'
import type { JobForm } from './job-form.ts'

/** The item of the dialog for a job that a page has prepared: its machines do not fit into an address. */
export const PREPARED_ITEM = 'prepared'

export interface PreparedJob {
  /** Follows the number of machines: `with a newer version of openssl`. */
  label: string
  agentIds: readonly string[]
  form: Partial<JobForm>
}

const store = createStore<PreparedJob | undefined>(undefined)

export const prepareJob = (job: PreparedJob): void => store.set(job)

/** Undefined after a reload. */
export const readPreparedJob = (): PreparedJob | undefined => store.get()
