import type { TemplateSource } from '@muster/rules/alerts/alert-template'

/** A template that a policy assigns to a machine or a site. */
export interface GivenTemplate {
  source: TemplateSource
  policy: number
  template: number
}

/** The column `policy_templates`, which features/policies keeps up to date. */
export function writeGiven(given: readonly GivenTemplate[]): string {
  return JSON.stringify(given)
}

export function readGiven(text: string | null): GivenTemplate[] {
  // Written by writeGiven above.
  return text === null ? [] : (JSON.parse(text) as GivenTemplate[])
}
