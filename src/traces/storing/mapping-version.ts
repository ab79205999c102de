/**
 * The version of the mapping that a trace was stored or remapped with. Increase it when the mapping returns another kind, name, input,
 * output, model, usage or link for the same span: the command `remap` then finds the older traces.
 */
export const MAPPING_VERSION = 1
