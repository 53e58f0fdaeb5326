import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'

export const policyDialogs = {
  'recommended-policies': () =>
    import('./RecommendedPoliciesDialog.tsx').then((file) => file.RecommendedPoliciesDialog),
  'assign-policies': () => import('./AssignPoliciesDialog.tsx').then((file) => file.AssignPoliciesDialog),
  'why-check': () => import('./WhyDialog.tsx').then((file) => file.WhyCheckDialog),
  'why-task': () => import('./WhyDialog.tsx').then((file) => file.WhyTaskDialog),
  'policy-status': () => import('./PolicyStatusDialog.tsx').then((file) => file.PolicyStatusDialog),
  'policy-inheritance': () => import('./InheritanceDialog.tsx').then((file) => file.InheritanceDialog),
} satisfies DialogLoaders
