import { type AdapterInput, GatewayError } from "#contract";

const MODEL = /^(?:(?:models|tunedModels)\/)?\w[\w.@-]*$/;

/** `models/gemini-…`; the name goes into the URL, so nothing else may be in it. */
export function modelPath({ target: { model } }: Pick<AdapterInput, "target">): string {
  if (!MODEL.test(model)) {
    const what = "The model must be a Gemini model id, such as gemini-2.5-flash.";
    throw new GatewayError("REQUEST_INVALID", { what }, { param: "model" });
  }
  return model.includes("/") ? model : `models/${model}`;
}
