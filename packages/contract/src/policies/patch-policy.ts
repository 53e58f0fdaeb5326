import { findPatchScheduleProblem } from '@muster/rules/patches/patch-schedule'
import { PATCH_CLASSES } from '@muster/rules/patches/patch-approval'
import { z } from 'zod'
import { MAX_POWER_MESSAGE } from '../agent/power.ts'
import { Id } from '../fields.ts'

/** The patch part of a policy. Each section that is null comes from another policy, or is not set at all. */

const PatchRule = z.object({
  action: z.enum(['approve', 'manual', 'ignore']),
  after_days: z.int().min(0).max(365).default(0),
})
const MANUAL = { action: 'manual' as const, after_days: 0 }

const classRules = Object.fromEntries(
  PATCH_CLASSES.map((name) => [name, PatchRule.default(MANUAL)]),
) as Record<(typeof PATCH_CLASSES)[number], z.ZodDefault<typeof PatchRule>>

export const PatchApproval = z.object({
  ...classRules,
  categories: z
    .array(PatchRule.extend({ category: z.string().trim().min(1, 'Enter a category.').max(255) }))
    .max(50, 'A policy has at most 50 rules for categories.')
    .default([]),
  ignore: z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(255)
        .refine(
          (text) => /[^*\s]/.test(text),
          'Enter a name. A pattern of * alone would ignore all patches.',
        ),
    )
    .max(200, 'A policy ignores at most 200 named patches.')
    .default([]),
})
export type PatchApproval = z.infer<typeof PatchApproval>

export const MAX_RING = 9
export const PatchRing = z.object({
  ring: z.int().min(1).max(MAX_RING),
  delay_days: z.int().min(0).max(90).default(0),
  after_ring: z.boolean().default(false),
})
export type PatchRing = z.infer<typeof PatchRing>

export const PatchSchedule = z
  .object({
    recurs: z.enum(['weekly', 'monthly', 'window']),
    weekdays: z.array(z.int().min(0).max(6)).max(7).default([]),
    month_days: z
      .array(z.union([z.int().min(1).max(31), z.literal(-1)]))
      .max(32)
      .default([]),
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Use a time such as 03:00.')
      .default('03:00'),
    late_hours: z.int().min(1).max(168).default(24),
  })
  .check(({ value, issues }) => {
    const problem = findPatchScheduleProblem(value)
    if (problem === undefined) return
    issues.push({ code: 'custom', input: value, path: [problem.field], message: problem.sentence })
  })
export type PatchSchedule = z.infer<typeof PatchSchedule>

/** Scripts of the library; at least one. A failure of the first stops the installation. */
export const PatchScripts = z
  .object({
    before: Id.nullable().default(null),
    after: Id.nullable().default(null),
    /** Seconds, for each. */
    timeout: z.int().min(1).max(86_400).default(600),
  })
  .refine(({ before, after }) => before !== null || after !== null, {
    path: ['before'],
    message: 'Choose a script.',
  })
export type PatchScripts = z.infer<typeof PatchScripts>

export const PatchReboot = z.object({
  when: z.enum(['never', 'nobody', 'warn']),
  only_if_needed: z.boolean().default(true),
  message: z.string().trim().max(MAX_POWER_MESSAGE).default(''),
  delay_minutes: z.int().min(5, 'Give the user at least 5 minutes.').max(1440).default(15),
  postponements: z.int().min(0).max(100).default(4),
  postpone_minutes: z.int().min(5).max(1440).default(60),
  deadline_hours: z.int().min(1).max(336).default(24),
})
export type PatchReboot = z.infer<typeof PatchReboot>

export const PatchAlert = z.object({
  /** An installation has failed after all tries. */
  on_failure: z.boolean(),
})
export type PatchAlert = z.infer<typeof PatchAlert>

export const PatchPolicy = z.object({
  approval: PatchApproval.nullable(),
  ring: PatchRing.nullable(),
  schedule: PatchSchedule.nullable(),
  scripts: PatchScripts.nullable(),
  reboot: PatchReboot.nullable(),
  alert: PatchAlert.nullable().default(null),
})
export type PatchPolicy = z.infer<typeof PatchPolicy>

export const NO_PATCH_POLICY: PatchPolicy = {
  approval: null,
  ring: null,
  schedule: null,
  scripts: null,
  reboot: null,
  alert: null,
}

export const PATCH_SECTIONS = ['approval', 'ring', 'schedule', 'scripts', 'reboot', 'alert'] as const
export type PatchSection = (typeof PATCH_SECTIONS)[number]

/** The sections that a machine may have of its own, in place of its policies; null = from the policies. */
export const OwnPatchPolicy = PatchPolicy.omit({ scripts: true })
  // Without the default, which would reset an omitted one.
  .extend({ alert: PatchAlert.nullable() })
  .partial()
export type OwnPatchPolicy = z.infer<typeof OwnPatchPolicy>
