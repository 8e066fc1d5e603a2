import { UpstreamFailure } from "#contract";

/** What was filtered leaves no image behind: an answer without any is the model's refusal, in OpenAI's words. */
export const noImage = (why: unknown): UpstreamFailure =>
  new UpstreamFailure(400, {
    ...{ message: `No image was drawn${typeof why === "string" ? `: ${why}` : ""}.`, type: "image_generation_user_error" },
    ...{ param: null, code: "content_filter" },
  });
