import { z } from 'zod'
import { measureSettings } from '../agent/checks.ts'
import { Severity } from '../severity.ts'

const alert_severity = Severity.default('warning')
const ProcessCount = z.int().min(0).max(100_000)

/** Checks whether something exists, and how much of it. */
export const presenceCheckFields = {
  process: z.object({
    process_name: measureSettings.process.shape.process_name,
    expect: z.enum(['running', 'not_running']).default('running'),
    /** Minimum and maximum number; maximum 0 = any. */
    min_count: ProcessCount.min(1).default(1),
    max_count: ProcessCount.default(0),
    /** Total; 0 = any. */
    max_memory_mb: z.int().min(0).max(100_000_000).default(0),
    alert_severity,
  }),
  file: z.object({
    path: measureSettings.file.shape.path,
    expect: z.enum(['exists', 'missing']).default('exists'),
    /** 0 = any. */
    max_age_minutes: z.int().min(0).max(100_000_000).default(0),
    max_size_mb: z.int().min(0).max(100_000_000).default(0),
    alert_severity,
  }),
} as const

export const ProcessCheck = presenceCheckFields.process
  .extend({ check_type: z.literal('process') })
  .superRefine(({ min_count, max_count }, issues) => {
    if (max_count === 0 || max_count >= min_count) return
    issues.addIssue({ code: 'custom', path: ['max_count'], message: `Not less than ${min_count}.` })
  })
