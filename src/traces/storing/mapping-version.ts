/**
 * By which mapping a trace was understood when it was stored or mapped again. Increase it whenever the mapping gives another kind,
 * name, input, output, model, usage or link for the same span: the command `remap` then finds the traces that came before.
 */
export const MAPPING_VERSION = 1
