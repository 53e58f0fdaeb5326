import { round } from './judgement.ts'

export const MB = 1024 ** 2
export const GB = 1024 ** 3

export const formatGb = (bytes: number): string => `${round(bytes / GB)} GB`
